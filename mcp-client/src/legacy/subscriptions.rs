//! Subscriptions where all listeners share what the server reports.
//!
//! Specification: 2025-11-25, server/resources, Subscriptions. Lists that the server's capabilities name are
//! reported to everybody; a resource is subscribed to by a request, here once for all who want to hear of it.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mcp_core::protocol::SubscriptionFilter;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use tokio::runtime::Handle;
use tokio::sync::Mutex as AsyncMutex;
use tokio::time::{Instant, sleep, timeout};

use crate::client::Client;
use crate::error::Error;
use crate::excerpt::Excerpt;
use crate::inbox::Inbox;
use crate::subscription::delay;

use super::connection::Connection;

/// How long the end of a subscription keeps a client that nobody has any more.
const FAREWELL: Duration = Duration::from_secs(5);

/// A session that held for so long did not end soon.
const CALM: Duration = Duration::from_secs(60);

/// Who listens on one connection.
#[derive(Debug, Default)]
pub(super) struct Listeners {
    list: Mutex<List>,
    /// The resources that the server reports. Held by whoever subscribes or unsubscribes, so that one comes after the
    /// other.
    subscribed: AsyncMutex<BTreeSet<String>>,
    sessions: Mutex<Sessions>,
}

/// What is known of the ends of sessions.
#[derive(Debug, Default)]
struct Sessions {
    /// The last one that has ended, as the exchange counts them.
    ended: u64,
    /// The last one whose server went away while somebody listened; none is when nobody minds any more, for it may
    /// go on.
    away: Option<u64>,
    /// Somebody sees to another one, and looks once more when it has begun.
    seen_to: bool,
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
    /// It stays when the server has ended the session, however long another one takes.
    stays: bool,
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

    fn sessions(&self) -> MutexGuard<'_, Sessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that the session of this number has ended.
    pub(super) fn session_ended(&self, number: u64) {
        let mut sessions = self.sessions();
        sessions.ended = sessions.ended.max(number);
    }

    /// Notes that the server is away with the session of this number, where somebody minds.
    pub(super) fn session_away(&self, number: u64) {
        let is_heard = !self.list().listeners.is_empty();
        let mut sessions = self.sessions();
        sessions.away = sessions.away.max(Some(number).filter(|_| is_heard));
    }

    /// Whether another session is wanted and nobody sees to it. Whoever asked does so from here on.
    fn newly_want_another(&self, client: &Client, old: &Connection) -> bool {
        let mut sessions = self.sessions();
        let newly = !sessions.seen_to && self.listens_in_vain(&sessions, client, old);
        sessions.seen_to |= newly;
        newly
    }

    /// The same for the one who sees to it. If none is wanted, that is over: whoever listens later asks anew.
    fn still_want_another(&self, client: &Client, old: &Connection) -> bool {
        let mut sessions = self.sessions();
        sessions.seen_to = self.listens_in_vain(&sessions, client, old);
        if !sessions.seen_to {
            sessions.away = None;
        }
        sessions.seen_to
    }

    /// Whether somebody listens in a session that has ended, or may have.
    fn listens_in_vain(&self, sessions: &Sessions, client: &Client, old: &Connection) -> bool {
        let number = old.number();
        let has_ended = sessions.ended >= number || sessions.away >= Some(number);
        has_ended && !client.is_closed() && !self.list().listeners.is_empty()
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
                tracing::debug!(target: "mcp_client", method = %Excerpt(method), "a notification without a reader");
            }
        }
    }

    /// Subscribes again, in another session, where anything may have changed meanwhile.
    pub(super) async fn repeat(&self, old: &Connection, client: &Client) {
        let mut subscribed = self.subscribed.lock().await;
        subscribed.clear();
        for listener in &self.list().listeners {
            listener.inbox.assume_changes(&listener.honoured);
        }
        let wanted = self.list().resources();
        for uri in wanted {
            match subscribe(old, client, &uri).await {
                Ok(()) => drop(subscribed.insert(uri)),
                Err(error) => {
                    tracing::warn!(target: "mcp_client", error = %Excerpt(&error), uri, "a resource is not reported any more");
                }
            }
        }
    }

    /// Subscribes to what this listener wants and the server does not report yet.
    async fn begin(&self, old: &Connection, client: &Client, id: u64) -> Result<(), Error> {
        let mut subscribed = self.subscribed.lock().await;
        let wanted = self.list().of(id);
        for uri in wanted {
            if !subscribed.contains(&uri) {
                subscribe(old, client, &uri).await?;
                subscribed.insert(uri);
            }
        }
        Ok(())
    }

    /// Unsubscribes from what nobody wants any more.
    async fn tidy(&self, old: &Connection, client: &Client) {
        let mut subscribed = self.subscribed.lock().await;
        let wanted = self.list().resources();
        let left: Vec<String> = subscribed.difference(&wanted).cloned().collect();
        for uri in left {
            subscribed.remove(&uri);
            let params = json!({ "uri": uri });
            // What comes nevertheless has no reader.
            let _ = old.request(client, "resources/unsubscribe", &params).await;
        }
    }

    fn add(&self, inbox: Arc<Inbox>, honoured: &SubscriptionFilter, stays: bool) -> u64 {
        let mut list = self.list();
        list.last += 1;
        let id = list.last;
        list.listeners.push(Listener {
            id,
            inbox,
            honoured: honoured.clone(),
            stays,
        });
        id
    }

    fn remove(&self, id: u64) {
        self.list().listeners.retain(|listener| listener.id != id);
    }

    /// Ends the subscriptions that do not want to be opened again.
    fn fail(&self, reason: &str) {
        self.list().listeners.retain(|listener| {
            if !listener.stays {
                listener.inbox.fail(reason);
            }
            listener.stays
        });
    }
}

impl List {
    /// All that somebody wants to hear of.
    fn resources(&self) -> BTreeSet<String> {
        let all = self.listeners.iter().flat_map(Listener::resources);
        all.cloned().collect()
    }

    fn of(&self, id: u64) -> BTreeSet<String> {
        let listeners = self.listeners.iter();
        let own = listeners.filter(|listener| listener.id == id);
        own.flat_map(Listener::resources).cloned().collect()
    }
}

/// Sees to another session where the one that there is has ended and somebody listens.
pub(super) fn see_to_session(client: &Client, old: &Connection) {
    if old.listeners.newly_want_another(client, old) {
        tokio::spawn(renew(client.clone()));
    }
}

/// Begins another session for the sake of subscriptions, after a pause that grows while they keep ending. The one that
/// was just begun may have ended meanwhile, which nobody would say again.
async fn renew(client: Client) {
    let Some(old) = client.inner.legacy() else {
        return;
    };
    let mut last = None;
    while old.listeners.still_want_another(&client, old) {
        // Before the pause: a call may begin another session meanwhile, which must not be ended for this one.
        let ended = old.number();
        let failures = match last {
            Some((session, failures)) if session == ended => failures + 1,
            _ => old.pace.next(),
        };
        last = Some((ended, failures));
        sleep(delay(failures)).await;
        // Nobody may listen any more, and then there is no reason to end what goes on in the session.
        if !old.listeners.still_want_another(&client, old) {
            return;
        }
        if let Err(error) = old.begin_again(&client, ended).await {
            tracing::warn!(target: "mcp_client", error = %Excerpt(&error), "no other session; subscriptions report nothing");
            old.listeners.fail(&error.to_string());
        }
    }
}

/// How often sessions ended one soon after the other.
#[derive(Debug, Default)]
pub(super) struct Pace(Mutex<(u32, Option<Instant>)>);

impl Pace {
    /// Counts another one.
    fn next(&self) -> u32 {
        let mut pace = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (count, last) = *pace;
        let soon = last.is_some_and(|last| last.elapsed() < CALM);
        let count = if soon { count + 1 } else { 0 };
        *pace = (count, Some(Instant::now()));
        count
    }
}

/// One subscription; dropping it ends it.
#[derive(Debug)]
pub(crate) struct Listening {
    client: Client,
    id: u64,
    has_resources: bool,
    runtime: Handle,
}

impl Drop for Listening {
    fn drop(&mut self) {
        let Some(old) = self.client.inner.legacy() else {
            return;
        };
        old.listeners.remove(self.id);
        if !self.has_resources || self.client.is_closed() {
            return;
        }
        let client = self.client.clone();
        self.runtime.spawn(async move {
            if let Some(old) = client.inner.legacy() {
                let _ = timeout(FAREWELL, old.listeners.tidy(old, &client)).await;
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
        stays: bool,
    ) -> Result<(SubscriptionFilter, Listening), Error> {
        let honoured = self.honours(wanted);
        acknowledge(&inbox, &honoured);
        let id = self.listeners.add(inbox, &honoured, stays);
        // From here on, whatever goes wrong or is given up ends the subscription.
        let listening = Listening {
            client: client.clone(),
            id,
            has_resources: honoured.resource_subscriptions.is_some(),
            runtime: Handle::current(),
        };
        // It may have ended while nobody listened.
        see_to_session(client, self);
        let number = self.number();
        match self.listeners.begin(self, client, id).await {
            // With another session come all subscriptions.
            Err(Error::SessionEnded { .. }) => self.begin_again(client, number).await?,
            begun => begun?,
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
