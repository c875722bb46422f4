//! Subscriptions: hearing from the server that something has changed.
//!
//! Specification: basic/patterns/subscriptions. A subscription is a request that stays open; whoever asks
//! for the next change also drives it, so nothing runs in the background for a host that does not look.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::sync::Arc;
use std::time::Duration;

use mcp_core::protocol::SubscriptionFilter;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until};

use crate::client::Client;
use crate::error::Error;
use crate::excerpt::Excerpt;
use crate::inbox::{Change, Inbox, Next};
use crate::legacy;
use crate::options::CallOptions;
use crate::outcome::{self, Outcome};
use crate::peer::{Request, expiry, sleep_to};
use crate::session::{Call, Session};
use crate::transport::Era;
use crate::wire::Reply;

const METHOD: &str = "subscriptions/listen";

/// The delay before a broken subscription is opened again, at first and at most.
const FIRST_DELAY: Duration = Duration::from_millis(250);
const LONGEST_DELAY: Duration = Duration::from_secs(30);

/// What to hear of.
///
/// ```no_run
/// # async fn example(client: mcp_client::Client) -> Result<(), mcp_client::Error> {
/// use mcp_client::{Change, Subscription};
///
/// let wanted = Subscription::new().tools().resource("file:///project/config.json");
/// let mut changes = client.subscribe(wanted).await?;
/// while let Some(change) = changes.next().await {
///     match change {
///         Change::Tools => println!("{} tools", client.list_tools().await?.len()),
///         Change::Resource(uri) => println!("{uri} has changed"),
///         _ => {}
///     }
/// }
/// println!("over: {:?}", changes.end());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Subscription {
    filter: SubscriptionFilter,
    reconnects: bool,
}

impl Subscription {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Changes of the list of tools.
    pub fn tools(mut self) -> Self {
        self.filter.tools_list_changed = Some(true);
        self
    }

    /// Changes of the list of prompts.
    pub fn prompts(mut self) -> Self {
        self.filter.prompts_list_changed = Some(true);
        self
    }

    /// Changes of the lists of resources and resource templates.
    pub fn resources(mut self) -> Self {
        self.filter.resources_list_changed = Some(true);
        self
    }

    /// Changes of this resource, and of what is in it.
    pub fn resource(mut self, uri: impl Into<String>) -> Self {
        let uri = uri.into();
        let uris = self.filter.resource_subscriptions.get_or_insert_default();
        if !uris.contains(&uri) {
            uris.push(uri);
        }
        self
    }

    /// Opens the subscription again when its stream breaks off, after 250 ms and then ever longer delays
    /// of up to 30 s. What was subscribed to is then reported as changed, since nobody listened for
    /// a while.
    ///
    /// A subscription that the server ends in good order stays ended, and a connection that is closed
    /// ends it for good.
    pub fn reconnect(mut self) -> Self {
        self.reconnects = true;
        self
    }
}

/// How a subscription ended.
#[derive(Debug)]
#[non_exhaustive]
pub enum End {
    /// The server ended it in good order: it shuts down, or has nothing to report on.
    Graceful,
    /// It broke off, or the server did something that it must not do.
    Lost(Error),
}

/// The changes of one subscription, as they are reported. Dropping it cancels the subscription.
///
/// Each change waits here once, however often it was reported, so it is enough to fetch a list when
/// [`next`](Self::next) says that it has changed. A list that changes whenever it is fetched is reported
/// after growing pauses of up to 10 s.
#[derive(Debug)]
pub struct Changes {
    client: Client,
    filter: SubscriptionFilter,
    reconnects: bool,
    inbox: Arc<Inbox>,
    honoured: SubscriptionFilter,
    link: Link,
    /// It was acknowledged at least once.
    established: bool,
    failures: u32,
    end: Option<End>,
}

#[derive(Debug)]
enum Link {
    Open {
        id: u64,
        reply: oneshot::Receiver<Reply>,
        acknowledged: bool,
        since: Instant,
    },
    /// Notifications of a server that has one stream of them for all. Held so that it ends with this.
    Unasked {
        _listening: legacy::Listening,
    },
    Broken {
        retry_at: Instant,
    },
    Ended,
}

impl Client {
    /// Subscribes to changes; returns when the server has said which of them it will report.
    ///
    /// A client can have any number of subscriptions. What they report as changed is also taken out of
    /// the client's cache. On a server of a revision with a handshake each resource is subscribed to once,
    /// for all subscriptions that want it, and lists that its capabilities name are reported anyway.
    ///
    /// Specification: basic/patterns/subscriptions.
    ///
    /// # Errors
    ///
    /// What went wrong with the request; the acknowledgement counts as its answer.
    pub async fn subscribe(&self, subscription: Subscription) -> Result<Changes, Error> {
        let Subscription { filter, reconnects } = subscription;
        let inbox = Arc::new(Inbox::new(filter.clone(), self.inner.cache.clone()));
        let mut changes = Changes {
            client: self.clone(),
            filter,
            reconnects,
            inbox: Arc::clone(&inbox),
            honoured: SubscriptionFilter::default(),
            link: Link::Ended,
            established: false,
            failures: 0,
            end: None,
        };
        if let Some(old) = self.inner.legacy() {
            let (honoured, listening) = old
                .subscribe(self, &changes.filter, inbox, reconnects)
                .await?;
            changes.honoured = honoured;
            changes.established = true;
            changes.link = Link::Unasked {
                _listening: listening,
            };
            return Ok(changes);
        }
        changes.open();
        loop {
            changes.look();
            if changes.established {
                return Ok(changes);
            }
            if let Some(End::Lost(error)) = changes.end.take() {
                return Err(error);
            }
            tokio::select! {
                biased;
                () = inbox.news() => {}
                () = changes.advance() => {}
            }
        }
    }
}

impl Changes {
    /// What the server agreed to report: it leaves out what it does not support.
    #[must_use]
    pub fn honoured(&self) -> &SubscriptionFilter {
        &self.honoured
    }

    /// Waits for the next change; `None` when the subscription has ended. Nothing is lost if the
    /// future is dropped.
    pub async fn next(&mut self) -> Option<Change> {
        let inbox = Arc::clone(&self.inbox);
        loop {
            self.look();
            // What came before the end is reported before it.
            let not_before = match inbox.next(Instant::now()) {
                Next::Change(change) => return Some(change),
                Next::NotBefore(at) => Some(at),
                Next::Nothing if self.end.is_some() => return None,
                Next::Nothing => None,
            };
            tokio::select! {
                biased;
                () = inbox.news() => {}
                () = sleep_to(not_before) => {}
                () = self.advance() => {}
            }
        }
    }

    /// How the subscription ended; `None` while it goes on.
    #[must_use]
    pub fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// The same, for whoever wants to have the error.
    #[must_use]
    pub fn into_end(mut self) -> Option<End> {
        self.end.take()
    }

    /// Cancels the subscription, as dropping it does.
    pub fn close(self) {}

    /// Sends the request.
    fn open(&mut self) {
        self.inbox.expect_acknowledgement();
        match self.send() {
            Ok((id, reply)) => {
                self.link = Link::Open {
                    id,
                    reply,
                    acknowledged: false,
                    since: Instant::now(),
                };
            }
            Err(error) => self.lost(error),
        }
    }

    fn send(&self) -> Result<(u64, oneshot::Receiver<Reply>), Error> {
        let filter = serde_json::to_string(&self.filter).map_err(|e| Error::Arguments {
            target: METHOD.to_owned(),
            reason: e.to_string(),
        })?;
        let call = Call::new(METHOD, METHOD, vec![("notifications".to_owned(), filter)]);
        let session = Session::new(self.client.clone(), CallOptions::new());
        let params = session.params(&call, None, None, None)?;
        let request = Request {
            method: METHOD,
            params: &params,
            token: None,
            timeout: None,
            progress_ceiling: None,
            metadata: call.metadata(),
            clock: None,
            id: None,
        };
        let inbox = Arc::clone(&self.inbox);
        self.client.inner.peer.listen(request, inbox)
    }

    /// Looks at what has come, without waiting.
    fn look(&mut self) {
        if let (Link::Unasked { .. }, Some(reason)) = (&self.link, self.inbox.fault()) {
            let method = METHOD.to_owned();
            return self.finish(End::Lost(Error::SessionEnded { method, reason }));
        }
        let Link::Open { acknowledged, .. } = &mut self.link else {
            return;
        };
        if let Some(reason) = self.inbox.fault() {
            return self.lost(invalid(reason));
        }
        if !*acknowledged && let Some(honoured) = self.inbox.acknowledged() {
            *acknowledged = true;
            if self.established {
                self.inbox.assume_changes(&honoured);
            }
            self.established = true;
            self.honoured = honoured;
        }
    }

    /// Waits for the next turn that has nothing to do with a change.
    async fn advance(&mut self) {
        let timeout = self.client.inner.defaults.request_timeout.flatten();
        match &mut self.link {
            Link::Open {
                reply,
                acknowledged,
                since,
                ..
            } => {
                let patience = timeout.filter(|_| !*acknowledged);
                let deadline = patience.and_then(|patience| expiry(*since, patience));
                tokio::select! {
                    reply = reply => self.answered(reply.ok()),
                    () = sleep_to(deadline) => self.lost(Error::Timeout {
                        method: METHOD.to_owned(),
                        after: patience.unwrap_or_default(),
                    }),
                }
            }
            Link::Broken { retry_at } => {
                sleep_until(*retry_at).await;
                self.open();
            }
            Link::Unasked { .. } => {
                let peer = &self.client.inner.peer;
                peer.closed().await;
                let end = End::Lost(peer.closed_error());
                self.finish(end);
            }
            Link::Ended => std::future::pending().await,
        }
    }

    /// The request is over.
    fn answered(&mut self, reply: Option<Reply>) {
        // The acknowledgement may have come just before.
        self.look();
        let Link::Open { acknowledged, .. } = self.link else {
            return;
        };
        match self.outcome(reply) {
            Ok(()) if acknowledged => self.finish(End::Graceful),
            Ok(()) => self.lost(invalid("it ended before it was acknowledged".to_owned())),
            Err(error) => self.lost(error),
        }
    }

    fn outcome(&self, reply: Option<Reply>) -> Result<(), Error> {
        // The server takes the subscription back, whether or not its result follows.
        if matches!(reply, Some(Reply::Cancelled)) {
            return Ok(());
        }
        let result = self.client.inner.peer.interpret(METHOD, reply)?;
        match outcome::classify(METHOD, result)? {
            Outcome::Complete(_) => Ok(()),
            Outcome::InputRequired(_) => Err(Error::MayNotAsk {
                method: METHOD.to_owned(),
            }),
        }
    }

    /// Ends for this reason, or waits to try again.
    fn lost(&mut self, error: Error) {
        let again = self.reconnects && self.established && error.is_temporary();
        if !again || self.client.is_closed() {
            return self.finish(End::Lost(error));
        }
        // One that held for a while is no failure like those before it.
        if let Link::Open { since, .. } = &self.link
            && since.elapsed() >= LONGEST_DELAY
        {
            self.failures = 0;
        }
        let delay = delay(self.failures);
        tracing::warn!(target: "mcp_client", error = %Excerpt(&error), ?delay, "a subscription broke off; it is opened again");
        self.cancel();
        self.failures += 1;
        self.link = Link::Broken {
            retry_at: Instant::now() + delay,
        };
    }

    fn finish(&mut self, end: End) {
        self.cancel();
        self.link = Link::Ended;
        self.end = Some(end);
    }

    /// Takes the request back, if it is still in flight.
    fn cancel(&self) {
        if let Link::Open { id, .. } = self.link {
            let reason = "the client closed the subscription";
            let peer = &self.client.inner.peer;
            peer.abandon(id, reason, Some(crate::VERSION), Era::Modern);
        }
    }
}

impl Drop for Changes {
    fn drop(&mut self) {
        self.cancel();
    }
}

fn invalid(reason: String) -> Error {
    Error::InvalidResult {
        method: METHOD.to_owned(),
        reason,
    }
}

/// Doubles with each failure. A part is left to chance, so that the clients of a server that comes back
/// do not come back all at once.
pub(crate) fn delay(failures: u32) -> Duration {
    let full = FIRST_DELAY
        .saturating_mul(1 << failures.min(16))
        .min(LONGEST_DELAY);
    // The hasher of the standard library is seeded at random.
    let chance = RandomState::new().hash_one(failures) % 1_000;
    full - full.mul_f64(chance as f64 / 4_000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_grow_and_are_bounded() {
        for failures in 0..40 {
            let full = FIRST_DELAY.as_secs_f64() * 2_f64.powi(failures);
            let full = full.min(LONGEST_DELAY.as_secs_f64());
            let delay = delay(failures.unsigned_abs()).as_secs_f64();
            assert!((full * 0.75..=full).contains(&delay), "{failures}: {delay}");
        }
    }
}
