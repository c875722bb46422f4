//! Providers: what a server has that is not known when it is built, because it is in a database.
//!
//! Motivation: what providers do differs in what they are asked for, not in how. So here is what those of resources and of
//! prompts have in common: several are asked in order as if they were one function, whose calls have state, layers and questions
//! as others have. Their own traits are in `resource` and `prompt`.

use std::{future::Future, pin::Pin, sync::Arc};

use mcp_core::{
    protocol::Completion,
    rpc::{RpcError, to_line},
};
use serde::Serialize;

use super::{Function, Kind, Running};
use crate::{
    call::Call,
    completion::Completing,
    context::Context,
    error::ToolError,
    outcome::{Interrupt, Reason},
    spec::{Extra, FunctionSpec},
    state::Principal,
};

/// One page of a provider's list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListPage<T> {
    /// What is on it, in the order of the list.
    pub items: Vec<T>,
    /// Where the next page begins, in whatever form the provider understands; none on the last one.
    ///
    /// A client keeps it for as long as it likes and may send it to another replica.
    pub next_cursor: Option<String>,
}

impl<T> ListPage<T> {
    /// The error for a cursor that the provider did not give.
    ///
    /// Specification: server/utilities/pagination, Error Handling.
    pub fn unknown_cursor() -> ToolError {
        ToolError::protocol(unknown_cursor())
    }
}

/// Nothing.
impl<T> Default for ListPage<T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

/// The only page.
impl<T> From<Vec<T>> for ListPage<T> {
    fn from(items: Vec<T>) -> Self {
        Self {
            items,
            next_cursor: None,
        }
    }
}

/// What is answered to a cursor that nobody gave.
pub(crate) fn unknown_cursor() -> RpcError {
    RpcError::invalid_params("unknown `cursor`; begin again without one")
}

/// A page as it is written.
#[derive(Debug, Default)]
pub(crate) struct ProvidedPage {
    /// The entries as JSON.
    pub(crate) entries: Vec<String>,
    pub(crate) next_cursor: Option<String>,
}

impl<T: Serialize> From<ListPage<T>> for ProvidedPage {
    fn from(page: ListPage<T>) -> Self {
        Self {
            entries: page.items.iter().filter_map(|i| to_line(i).ok()).collect(),
            next_cursor: page.next_cursor,
        }
    }
}

/// Something of a provider's under way.
pub(crate) type Provided<T> = Pin<Box<dyn Future<Output = Result<T, ToolError>> + Send>>;

/// A provider, whatever it provides.
pub(crate) trait Provide: Send + Sync + 'static {
    /// A page of its list.
    fn list(self: Arc<Self>, cursor: Option<String>, ctx: Context) -> Provided<ProvidedPage>;

    /// A page of its templates, if it is one of resources.
    fn templates(self: Arc<Self>, cursor: Option<String>, ctx: Context) -> Provided<ProvidedPage>;

    /// Answers a call; where it knows nothing of what is addressed, with [`Reason::NotFound`].
    fn call(self: Arc<Self>, call: Call) -> Running;

    /// Whether clients may subscribe to this.
    fn has(&self, key: &str, principal: &Principal) -> bool;

    /// What may be proposed for an argument of a prompt or a variable of a template, if it knows.
    fn complete(
        self: Arc<Self>,
        of: String,
        argument: String,
        typing: Completing,
    ) -> Provided<Option<Completion>>;
}

/// The providers of one kind, in the order in which they are asked.
pub(crate) type ProviderList = Arc<[Arc<dyn Provide>]>;

/// What is different for providers of one kind. As with [`Kind`], only what registers them names it.
pub(crate) struct ProviderKind {
    pub(crate) kind: Kind,
    /// Makes one function of all of them.
    pub(crate) function: fn(ProviderList) -> Function,
    /// Where a server has them.
    pub(crate) place: fn(&mut AllProviders) -> &mut Option<Providers>,
}

/// The providers of a server.
#[derive(Default)]
pub(crate) struct AllProviders {
    pub(crate) prompts: Option<Providers>,
    pub(crate) resources: Option<Providers>,
}

/// Providers of one kind, as a server has them.
#[derive(Clone)]
pub(crate) struct Providers {
    /// Which of the server's functions they are.
    pub(crate) function: usize,
    pub(crate) list: ProviderList,
}

/// All providers of one kind as a function, which is that of the first one that knows what is addressed. They say of what they
/// have themselves what an attribute says of other functions.
pub(crate) fn in_order(mut spec: FunctionSpec, list: ProviderList) -> Function {
    spec.extra = Extra::Ignore;
    let body = move |call: &Call| -> Running {
        let (list, call) = (Arc::clone(&list), call.clone());
        Box::pin(async move {
            for provider in list.iter() {
                match Arc::clone(provider).call(call.clone()).await {
                    Err(Interrupt(Reason::NotFound)) => {}
                    other => return other,
                }
            }
            Err(Interrupt(Reason::NotFound))
        })
    };
    Function {
        spec,
        body: Box::new(body),
    }
}
