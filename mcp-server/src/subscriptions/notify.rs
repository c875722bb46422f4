//! [`Notify`]: tells clients that something has changed.

use std::sync::Arc;

use super::{filter::Lists, hub::Hub};
use crate::resource::spelled;

/// Tells the clients that listen that something has changed.
///
/// It can be called from any thread, as often as there are changes: those that follow each other within about 10 ms are told once.
/// Where nobody listens it costs next to nothing. Switching tools, prompts or resources on and off tells by itself.
///
/// Specification: basic/patterns/subscriptions.
///
/// ```
/// use mcp_server::prelude::*;
///
/// /// Says how much is in stock.
/// #[tool(read_only)]
/// async fn stock() -> u32 {
///     3
/// }
///
/// let server = Server::builder("shop", "1.0.0").tools(tools![stock]).build()?;
/// let notify = server.notify();
/// std::thread::spawn(move || notify.resource_updated("shop://stock")).join().expect("it does not panic");
/// # Ok::<(), mcp_server::BuildError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Notify {
    hub: Arc<Hub>,
}

impl Notify {
    pub(crate) fn new(hub: &Arc<Hub>) -> Self {
        Self {
            hub: Arc::clone(hub),
        }
    }

    /// The list of tools has changed.
    pub fn tools_changed(&self) {
        self.list(Lists::TOOLS);
    }

    /// The list of prompts has changed.
    pub fn prompts_changed(&self) {
        self.list(Lists::PROMPTS);
    }

    /// The list of resources has changed, or that of resource templates.
    pub fn resources_changed(&self) {
        self.list(Lists::RESOURCES);
    }

    /// The content of a resource has changed. Those hear of it who have subscribed to this very URI, whether it is written
    /// with percent-encoding or without.
    pub fn resource_updated(&self, uri: &str) {
        self.hub.change(|changes| {
            let uri = spelled(uri);
            if !changes.uris.contains(&*uri) {
                changes.uris.insert(uri.into());
            }
        });
    }

    /// What a user was to do on a [page](crate::Ask::url), such as a payment, is done; `flow` is the id of the call's
    /// [flow](crate::Context::flow).
    ///
    /// Clients of today call again by themselves, and need not be told. A client of revision 2025-11-25 waits meanwhile, or was
    /// told to call again; the first goes on at once, without the second that the next look at the records may take, and
    /// the other one hears of it.
    ///
    /// Specification: 2025-11-25, client/elicitation, Completion Notifications for URL Mode Elicitation.
    pub fn elicitation_completed(&self, flow: &str) {
        self.hub.pages.completed(flow);
    }

    /// How many subscriptions are open.
    pub fn listening(&self) -> usize {
        self.hub.listening()
    }

    pub(crate) fn list(&self, list: Lists) {
        self.hub
            .change(|changes| changes.lists = changes.lists.with(list, true));
    }
}
