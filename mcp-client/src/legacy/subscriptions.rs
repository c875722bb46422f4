//! Subscriptions where all listeners share what the server reports.
//!
//! Specification: 2025-11-25, server/resources, Subscriptions. Lists that the server's capabilities name are
//! reported to everybody; a resource is subscribed to by a request, here once for all who want to hear of it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mcp_core::protocol::SubscriptionFilter;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use tokio::runtime::Handle;
use tokio::time::timeout;

use crate::client::Client;
use crate::error::Error;
use crate::inbox::Inbox;

use super::connection::Connection;

/// How long the end of a subscription keeps a client that nobody has any more.
const FAREWELL: Duration = Duration::from_secs(5);

/// Who listens on one connection.
#[derive(Debug, Default)]
pub(super) struct Listeners {
    list: Mutex<List>,
}

#[derive(Debug, Default)]
struct List {
    last: u64,
    listeners: Vec<Listener>,
}

#[derive(Debug)]
struct Listener {
    id: u64,
    inbox: Arc<Inbox>,
    honoured: SubscriptionFilter,
}

impl Listener {
    fn resources(&self) -> impl Iterator<Item = &String> {
        self.honoured.resource_subscriptions.iter().flatten()
    }

    /// Whether the resource is one of this listener's, or a part of one.
    fn wants(&self, uri: &str) -> bool {
        self.resources()
            .any(|wanted| uri.starts_with(wanted.as_str()))
    }
}

impl Listeners {
    fn list(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list().listeners.is_empty()
    }

    /// Passes a notification on.
    pub(super) fn take(&self, method: &str, params: Option<&RawValue>) {
        let none = RawValue::from_string("{}".to_owned()).unwrap_or_default();
        let params = params.unwrap_or(&none);
        let list = self.list();
        let listeners = list.listeners.iter();
        let pass_on = |listener: &Listener| listener.inbox.take(method, params);
        let honours = |of: fn(&SubscriptionFilter) -> Option<bool>| {
            listeners.filter(move |listener| of(&listener.honoured) == Some(true))
        };
        match method {
            "notifications/tools/list_changed" => {
                honours(|of| of.tools_list_changed).for_each(pass_on);
            }
            "notifications/prompts/list_changed" => {
                honours(|of| of.prompts_list_changed).for_each(pass_on);
            }
            "notifications/resources/list_changed" => {
                honours(|of| of.resources_list_changed).for_each(pass_on);
            }
            "notifications/resources/updated" => {
                let uri = updated(params);
                // A part of a resource need not have its name: then it is anybody's.
                let is_known = list.listeners.iter().any(|listener| listener.wants(&uri));
                let wants = |listener: &&Listener| match is_known {
                    true => listener.wants(&uri),
                    false => listener.resources().next().is_some(),
                };
                list.listeners.iter().filter(wants).for_each(pass_on);
            }
            _ => {
                tracing::debug!(target: "mcp_client", method, "a notification without a reader");
            }
        }
    }

    /// Subscribes again, in another session, where anything may have changed meanwhile.
    pub(super) async fn repeat(&self, old: &Connection, client: &Client) {
        let mut resources = Vec::new();
        for listener in &self.list().listeners {
            listener.inbox.assume_changes(&listener.honoured);
            resources.extend(listener.resources().cloned());
        }
        resources.sort();
        resources.dedup();
        for uri in resources {
            if let Err(error) = subscribe(old, client, &uri).await {
                tracing::warn!(target: "mcp_client", %error, uri, "a resource is not reported any more");
            }
        }
    }

    /// Adds a listener; also the resources that nobody else listens to.
    fn add(&self, inbox: Arc<Inbox>, honoured: &SubscriptionFilter) -> (u64, Vec<String>) {
        let mut list = self.list();
        let wanted = honoured.resource_subscriptions.iter().flatten();
        let new = wanted.filter(|uri| !list.has(uri)).cloned().collect();
        list.last += 1;
        let id = list.last;
        list.listeners.push(Listener {
            id,
            inbox,
            honoured: honoured.clone(),
        });
        (id, new)
    }

    /// Removes a listener; the resources that nobody else listens to.
    fn remove(&self, id: u64) -> Vec<String> {
        let mut list = self.list();
        let place = list.listeners.iter().position(|one| one.id == id);
        let Some(listener) = place.map(|place| list.listeners.remove(place)) else {
            return Vec::new();
        };
        let left = listener.resources().filter(|uri| !list.has(uri));
        left.cloned().collect()
    }
}

impl List {
    fn has(&self, uri: &str) -> bool {
        self.listeners
            .iter()
            .any(|listener| listener.resources().any(|wanted| wanted == uri))
    }
}

/// One subscription; dropping it ends it.
#[derive(Debug)]
pub(crate) struct Listening {
    client: Client,
    id: u64,
    runtime: Handle,
}

impl Drop for Listening {
    fn drop(&mut self) {
        let Some(old) = self.client.inner.legacy() else {
            return;
        };
        let left = old.listeners.remove(self.id);
        if left.is_empty() || self.client.is_closed() {
            return;
        }
        let client = self.client.clone();
        self.runtime.spawn(async move {
            let Some(old) = client.inner.legacy() else {
                return;
            };
            for uri in left {
                let params = json!({ "uri": uri });
                let ended = old.request(&client, "resources/unsubscribe", &params);
                // What comes nevertheless has no reader.
                let _ = timeout(FAREWELL, ended).await;
            }
        });
    }
}

impl Connection {
    /// Begins a subscription; what of it the server reports.
    pub(crate) async fn subscribe(
        &self,
        client: &Client,
        wanted: &SubscriptionFilter,
        inbox: Arc<Inbox>,
    ) -> Result<(SubscriptionFilter, Listening), Error> {
        let honoured = self.honours(wanted);
        acknowledge(&inbox, &honoured);
        let (id, new) = self.listeners.add(inbox, &honoured);
        // From here on, whatever goes wrong or is given up ends the subscription.
        let listening = Listening {
            client: client.clone(),
            id,
            runtime: Handle::current(),
        };
        let number = self.number();
        for uri in &new {
            match subscribe(self, client, uri).await {
                // With another session come all subscriptions.
                Err(Error::SessionEnded { .. }) => {
                    self.begin_again(client, number).await?;
                    break;
                }
                subscribed => subscribed?,
            }
        }
        Ok((honoured, listening))
    }

    fn honours(&self, wanted: &SubscriptionFilter) -> SubscriptionFilter {
        let server = self.server();
        let both = |wanted: Option<bool>, offered: Option<bool>| {
            (wanted == Some(true) && offered == Some(true)).then_some(true)
        };
        let tools = server.tools.as_ref().and_then(|of| of.list_changed);
        let prompts = server.prompts.as_ref().and_then(|of| of.list_changed);
        let resources = server.resources.as_ref();
        let listed = resources.and_then(|of| of.list_changed);
        let subscribes = resources.and_then(|of| of.subscribe) == Some(true);
        let uris = wanted.resource_subscriptions.clone();
        SubscriptionFilter {
            tools_list_changed: both(wanted.tools_list_changed, tools),
            prompts_list_changed: both(wanted.prompts_list_changed, prompts),
            resources_list_changed: both(wanted.resources_list_changed, listed),
            resource_subscriptions: uris.filter(|_| subscribes),
        }
    }
}

/// The resource that has changed; one that cannot be read has no name.
fn updated(params: &RawValue) -> String {
    #[derive(Default, Deserialize)]
    struct Members {
        uri: String,
    }
    let members: Members = serde_json::from_str(params.get()).unwrap_or_default();
    members.uri
}

/// Tells the inbox what to expect, as a server of today does.
fn acknowledge(inbox: &Inbox, honoured: &SubscriptionFilter) {
    if let Ok(params) = to_raw_value(&json!({ "notifications": honoured })) {
        inbox.take("notifications/subscriptions/acknowledged", &params);
    }
}

async fn subscribe(old: &Connection, client: &Client, uri: &str) -> Result<(), Error> {
    let params = json!({ "uri": uri });
    let subscribed = old.request(client, "resources/subscribe", &params).await;
    subscribed.map(drop)
}
