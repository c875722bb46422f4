//! [`Switches`]: what a server offers, switched on and off while it runs.

use std::fmt;

use super::Catalog;
use crate::{server::Server, subscriptions::Lists};

/// The tools, the prompts or the resources of a server, to be switched on and off while it runs.
///
/// All are on when the server starts. One that is off is in no list, and a call of it is answered as if there had never been one;
/// calls under way go on. Clients that listen for changes of the list are told.
///
/// ```
/// use mcp_server::prelude::*;
///
/// /// Opens the till.
/// #[tool]
/// async fn open_till() -> &'static str {
///     "open"
/// }
///
/// let server = Server::builder("shop", "1.0.0").tools(tools![open_till]).build()?;
/// server.tools().disable("open_till")?;
/// assert_eq!(server.tools().is_enabled("open_till"), Ok(false));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Switches<'a> {
    server: &'a Server,
    list: Lists,
}

/// A server offers nothing of this name or URI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoSuchFunction {
    kind: &'static str,
    key: String,
}

impl fmt::Display for NoSuchFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the server has no {} `{}`", self.kind, self.key)
    }
}

impl std::error::Error for NoSuchFunction {}

impl<'a> Switches<'a> {
    pub(crate) fn new(server: &'a Server, list: Lists) -> Self {
        Self { server, list }
    }

    /// Switches one on. Tools and prompts go by their name, resources by their URI or template, as their attribute has it.
    ///
    /// # Errors
    ///
    /// There is none of this name or URI.
    pub fn enable(&self, key: &str) -> Result<(), NoSuchFunction> {
        self.switch(key, true)
    }

    /// Switches one off.
    ///
    /// # Errors
    ///
    /// As [`enable`](Self::enable).
    pub fn disable(&self, key: &str) -> Result<(), NoSuchFunction> {
        self.switch(key, false)
    }

    /// Whether one is on.
    ///
    /// # Errors
    ///
    /// As [`enable`](Self::enable).
    pub fn is_enabled(&self, key: &str) -> Result<bool, NoSuchFunction> {
        let (_, function) = self.find(key)?;
        Ok(self.server.inner().functions[function].access.is_on())
    }

    /// The names or URIs of all of them, in the order in which they are listed.
    pub fn keys(&self) -> impl Iterator<Item = &'static str> + 'a {
        self.catalogs()
            .into_iter()
            .flatten()
            .flat_map(Catalog::keys)
    }

    fn switch(&self, key: &str, on: bool) -> Result<(), NoSuchFunction> {
        let (catalog, function) = self.find(key)?;
        if self.server.inner().functions[function].access.switch(on) {
            catalog.switched();
            self.server.notify().list(self.list);
        }
        Ok(())
    }

    fn find(&self, key: &str) -> Result<(&'a Catalog, usize), NoSuchFunction> {
        let found = |catalog: &'a Catalog| Some((catalog, catalog.find(key)?));
        let mut catalogs = self.catalogs().into_iter().flatten();
        catalogs.find_map(found).ok_or_else(|| NoSuchFunction {
            kind: match self.list {
                Lists::TOOLS => "tool",
                Lists::PROMPTS => "prompt",
                _ => "resource",
            },
            key: key.to_owned(),
        })
    }

    fn catalogs(&self) -> [Option<&'a Catalog>; 2] {
        let inner = self.server.inner();
        match self.list {
            Lists::TOOLS => [Some(&inner.tools), None],
            Lists::PROMPTS => [Some(&inner.prompts), None],
            _ => [Some(&inner.resources), Some(&inner.templates)],
        }
    }
}
