//! Which requests are in flight, and what a received message means for them. No I/O.
//!
//! Motivation: every rule about ids, late answers, progress and the end of a connection is here, where
//! it can be tested without a peer. The tasks around it are in `peer`.

use std::collections::HashMap;

use mcp_core::protocol::{CancelledNotificationParams, NotificationMeta};
use mcp_core::rpc::RequestId;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::excerpt::Excerpt;
use crate::legacy::batch;
use crate::tally::Tally;
use crate::transport::Received;
use crate::unheard::Unasked;
use crate::wire::{self, Incoming, Reply};

/// The one request that a server may send before a handshake is over.
const PING: &str = "ping";

/// How much of a line that is no message goes to the log, and how many such lines at first.
const LOGGED_BYTES: usize = 200;
const LOGGED_LINES: u64 = 10;

/// The requests in flight, each with its waiter `W`.
#[derive(Debug)]
pub(crate) struct Exchange<W> {
    /// What the server may send beside answers and what announces them.
    pub(crate) liberties: Liberties,
    last_id: u64,
    last_token: u64,
    /// How many sessions have begun, where there are such.
    sessions: u64,
    /// The revision of all of them, once it is agreed on.
    version: Option<&'static str>,
    pending: HashMap<u64, Pending<W>>,
    closed: Option<Closed>,
    skipped_lines: u64,
    /// What the server should not have said.
    ignored: Tally,
}

/// What servers of revisions with a handshake may send, and others may not.
#[derive(Debug, Default)]
pub(crate) struct Liberties {
    /// Requests, and notifications that belong to none of ours.
    pub(crate) unasked: bool,
    /// Several messages in one array.
    pub(crate) batches: bool,
}

/// Why no more requests are taken.
#[derive(Debug)]
struct Closed {
    reason: String,
    /// The reader knows more, and will say it: how a child process ended.
    provisional: bool,
}

#[derive(Debug)]
struct Pending<W> {
    waiter: W,
    token: Option<u64>,
    /// It stays open, and notifications carry its id.
    listens: bool,
    /// Its result begins a session.
    begins: bool,
}

/// What is to be done about a received message; `R` stands for whoever waits for a request that goes on.
#[derive(Debug)]
pub(crate) enum Event<W, R> {
    /// A request is finished.
    Answered(W, Reply),
    /// A request in flight made progress.
    Progress(R, Progress),
    /// A notification for a request that stays open.
    Notice(R, String, Box<RawValue>),
    /// A log message, for whichever request.
    Log(Box<RawValue>),
    /// What the server sent on its own.
    Unasked(Unasked),
    /// A request that wants to know whether this side is there, before a handshake is over.
    Ping(RequestId),
    /// Several messages, to be received one by one.
    Batch(Vec<Vec<u8>>),
    /// The peer is gone: drop these waiters.
    Closed(Vec<W>),
    Nothing,
}

impl<W, R> Event<W, R> {
    /// The same with what is wanted of whoever goes on waiting.
    pub(crate) fn map<T>(self, wanted: impl FnOnce(R) -> T) -> Event<W, T> {
        match self {
            Self::Answered(waiter, reply) => Event::Answered(waiter, reply),
            Self::Progress(waiter, progress) => Event::Progress(wanted(waiter), progress),
            Self::Notice(waiter, method, params) => Event::Notice(wanted(waiter), method, params),
            Self::Log(params) => Event::Log(params),
            Self::Unasked(unasked) => Event::Unasked(unasked),
            Self::Ping(id) => Event::Ping(id),
            Self::Batch(messages) => Event::Batch(messages),
            Self::Closed(waiters) => Event::Closed(waiters),
            Self::Nothing => Event::Nothing,
        }
    }
}

/// How far a call has come, as the server tells it.
///
/// Specification: basic/patterns/progress.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Progress {
    /// How much is done; it grows from one report to the next.
    pub progress: f64,
    /// How much there is to do, where that is known.
    pub total: Option<f64>,
    /// What is being done now, in words.
    pub message: Option<String>,
}

#[derive(Deserialize)]
struct ProgressParams {
    #[serde(rename = "progressToken")]
    token: RequestId,
    #[serde(flatten)]
    progress: Progress,
}

impl<W> Exchange<W> {
    pub(crate) fn new() -> Self {
        Self {
            liberties: Liberties::default(),
            last_id: 0,
            last_token: 0,
            sessions: 0,
            version: None,
            pending: HashMap::new(),
            closed: None,
            skipped_lines: 0,
            ignored: Tally::default(),
        }
    }

    /// Registers a request under a fresh id; the error is why the connection is closed.
    pub(crate) fn begin(&mut self, waiter: W, token: Option<u64>) -> Result<u64, String> {
        self.register(Pending {
            waiter,
            token,
            listens: false,
            begins: false,
        })
    }

    /// Registers a request whose result begins a session.
    pub(crate) fn begin_session(&mut self, waiter: W) -> Result<u64, String> {
        self.register(Pending {
            waiter,
            token: None,
            listens: false,
            begins: true,
        })
    }

    /// Registers a request that stays open, and whose id is that of a subscription.
    pub(crate) fn begin_listening(&mut self, waiter: W) -> Result<u64, String> {
        self.register(Pending {
            waiter,
            token: None,
            listens: true,
            begins: false,
        })
    }

    fn register(&mut self, pending: Pending<W>) -> Result<u64, String> {
        if let Some(closed) = &self.closed {
            return Err(closed.reason.clone());
        }
        self.last_id += 1;
        self.pending.insert(self.last_id, pending);
        Ok(self.last_id)
    }

    /// A progress token that no request in flight has: the wanted one where that is possible, so
    /// that it stays the same over the rounds of a call.
    pub(crate) fn token(&mut self, wanted: Option<u64>) -> u64 {
        match wanted {
            Some(token) if !self.in_flight(token) => {
                self.last_token = self.last_token.max(token);
                token
            }
            _ => {
                self.last_token += 1;
                self.last_token
            }
        }
    }

    fn in_flight(&self, token: u64) -> bool {
        self.pending
            .values()
            .any(|pending| pending.token == Some(token))
    }

    /// Gives up on a request; gives its waiter back if it was still in flight. Its answer will be ignored.
    #[must_use = "who waits must not be dropped under the lock that an exchange is kept under"]
    pub(crate) fn forget(&mut self, id: u64) -> Option<W> {
        self.pending.remove(&id).map(|pending| pending.waiter)
    }

    /// Refuses new requests, for a reason that gives way to what the peer's end says. The requests in
    /// flight may still be answered.
    pub(crate) fn refuse(&mut self, reason: &str) {
        self.closed.get_or_insert_with(|| Closed {
            reason: reason.to_owned(),
            provisional: true,
        });
    }

    /// Closes for good and hands out the waiters of all requests in flight. The first reason stays.
    pub(crate) fn close(&mut self, reason: &str) -> Vec<W> {
        self.closed
            .get_or_insert_with(|| Closed {
                reason: reason.to_owned(),
                provisional: false,
            })
            .provisional = false;
        self.pending
            .drain()
            .map(|(_, pending)| pending.waiter)
            .collect()
    }

    /// How many sessions have begun.
    #[cfg(feature = "legacy")]
    pub(crate) fn sessions(&self) -> u64 {
        self.sessions
    }

    /// The revision of the sessions, once it is agreed on.
    pub(crate) fn version(&self) -> Option<&'static str> {
        self.version
    }

    #[cfg(feature = "legacy")]
    pub(crate) fn agree_on(&mut self, version: &'static str) {
        self.version = Some(version);
    }

    pub(crate) fn closed(&self) -> Option<&str> {
        self.closed.as_ref().map(|closed| closed.reason.as_str())
    }

    /// How many lines were received that are no messages.
    pub(crate) fn skipped_lines(&self) -> u64 {
        self.skipped_lines
    }

    pub(crate) fn receive(&mut self, received: Received) -> Event<W, &W> {
        match received {
            Received::Message(bytes) => self.receive_bytes(&bytes, None),
            Received::Meanwhile { id, message } => self.receive_bytes(&message, Some(id)),
            Received::Answer { id, message } => {
                self.answer(Some(id), wire::parse_answer(&message, id))
            }
            Received::Failed { id, failure } => self.answer(Some(id), Reply::Failed(failure)),
            Received::TooLong { id, limit } => {
                if self.ignored.is_first("a message beyond the limit") {
                    tracing::warn!(target: "mcp_client", limit, "a message beyond the limit was dropped");
                }
                self.answer(id, Reply::TooLong { limit })
            }
            Received::SessionEnded if self.liberties.unasked => {
                let session = self.sessions;
                Event::Unasked(Unasked::SessionEnded { session })
            }
            Received::SessionAway if self.liberties.unasked => {
                let session = self.sessions;
                Event::Unasked(Unasked::SessionAway { session })
            }
            Received::SessionEnded | Received::SessionAway => Event::Nothing,
            Received::Closed(reason) => {
                self.closed.take_if(|closed| closed.provisional);
                Event::Closed(self.close(&reason))
            }
        }
    }

    fn batch(&self, bytes: &[u8]) -> Option<Vec<Vec<u8>>> {
        self.liberties
            .batches
            .then(|| batch::split(bytes))
            .flatten()
    }

    fn receive_bytes(&mut self, bytes: &[u8], during: Option<u64>) -> Event<W, &W> {
        match wire::parse(bytes) {
            Ok(incoming) => self.receive_message(incoming, during),
            Err(reason) => match self.batch(bytes) {
                Some(messages) => Event::Batch(messages),
                None => {
                    self.skip(bytes, &reason);
                    Event::Nothing
                }
            },
        }
    }

    fn receive_message(&mut self, incoming: Incoming, during: Option<u64>) -> Event<W, &W> {
        match incoming {
            Incoming::Response { id, reply } => self.answer(id, reply),
            Incoming::Notification { method, params } => self.notify(method, params),
            Incoming::Request { id, method, .. }
                if self.liberties.unasked && method == PING && self.is_beginning(during) =>
            {
                Event::Ping(id)
            }
            Incoming::Request { id, method, params } if self.liberties.unasked => {
                Event::Unasked(Unasked::Request {
                    id,
                    method,
                    params,
                    during,
                    session: self.sessions,
                })
            }
            Incoming::Request { method, .. } => {
                // Specification: basic/transports/stdio. Servers must not send requests, and
                // clients must not write responses.
                if self.ignored.is_first("a request of the server") {
                    tracing::warn!(target: "mcp_client", method = %Excerpt(&method), "the server sent a request; ignored");
                }
                Event::Nothing
            }
        }
    }

    /// Whether what comes now comes before the answer to a handshake: to the first one on any stream, and to
    /// another one on its own, where those of the session before it may live on.
    ///
    /// Specification: 2025-11-25, basic/lifecycle, Initialization. Servers may ask nothing else by then.
    fn is_beginning(&self, during: Option<u64>) -> bool {
        match during {
            Some(id) => self.pending.get(&id).is_some_and(|pending| pending.begins),
            None => self.sessions == 0 && self.pending.values().any(|pending| pending.begins),
        }
    }

    fn answer(&mut self, id: Option<u64>, reply: Reply) -> Event<W, &W> {
        match id.and_then(|id| self.pending.remove(&id)) {
            Some(pending) => {
                if pending.begins && matches!(reply, Reply::Result(_)) {
                    self.sessions += 1;
                }
                Event::Answered(pending.waiter, reply)
            }
            None => {
                // Late answers to cancelled requests are normal; an error without an id is worth
                // a look, since it says that something we sent was not understood.
                if let (None, Reply::Error(error)) = (id, &reply) {
                    if self.ignored.is_first("an error for no request in flight") {
                        tracing::warn!(target: "mcp_client", error = %Excerpt(error), "an error for no request in flight");
                    }
                } else {
                    tracing::debug!(target: "mcp_client", id, "an answer that nobody waits for");
                }
                Event::Nothing
            }
        }
    }

    fn notify(&mut self, method: String, params: Option<Box<RawValue>>) -> Event<W, &W> {
        match (method.as_str(), params) {
            ("notifications/progress", Some(params)) => {
                match serde_json::from_str::<ProgressParams>(params.get()) {
                    Ok(params) => self.progress(&params.token, params.progress),
                    Err(error) => {
                        if self.ignored.is_first("a malformed progress report") {
                            tracing::warn!(target: "mcp_client", error = %Excerpt(error), "a malformed progress report");
                        }
                        Event::Nothing
                    }
                }
            }
            ("notifications/message", Some(params)) => Event::Log(params),
            ("notifications/progress" | "notifications/message", None) => {
                if self.ignored.is_first("a notification without params") {
                    tracing::warn!(target: "mcp_client", method = %Excerpt(&method), "a notification without params");
                }
                Event::Nothing
            }
            (_, params) if self.liberties.unasked => {
                Event::Unasked(Unasked::Notification { method, params })
            }
            ("notifications/cancelled", Some(params)) => self.withdraw(&params),
            (_, Some(params)) => self.notice(method, params),
            (_, None) => {
                tracing::debug!(target: "mcp_client", method = %Excerpt(&method), "a notification without a reader");
                Event::Nothing
            }
        }
    }

    /// Specification: basic/patterns/subscriptions, Receiving Notifications.
    fn notice(&self, method: String, params: Box<RawValue>) -> Event<W, &W> {
        #[derive(Deserialize)]
        struct Members {
            #[serde(rename = "_meta")]
            meta: NotificationMeta,
        }
        let members = serde_json::from_str::<Members>(params.get()).ok();
        let id = members.and_then(|members| own_id(&members.meta.subscription_id?));
        match id.and_then(|id| self.pending.get(&id)) {
            Some(pending) if pending.listens => Event::Notice(&pending.waiter, method, params),
            // Normal for a moment after a subscription was cancelled.
            _ => {
                tracing::debug!(target: "mcp_client", method = %Excerpt(&method), "a notification without a reader");
                Event::Nothing
            }
        }
    }

    /// Specification: basic/patterns/cancellation. A server may take back nothing but a subscription.
    fn withdraw(&mut self, params: &RawValue) -> Event<W, &W> {
        let params = serde_json::from_str::<CancelledNotificationParams>(params.get());
        let id = params.ok().and_then(|params| own_id(&params.request_id));
        match id.and_then(|id| Some((id, self.pending.get(&id)?.listens))) {
            Some((id, true)) => self.answer(Some(id), Reply::Cancelled),
            Some((id, false)) => {
                if self.ignored.is_first("a request cancelled by the server") {
                    tracing::warn!(target: "mcp_client", id, "the server cancelled a request; ignored");
                }
                Event::Nothing
            }
            None => Event::Nothing,
        }
    }

    fn progress(&self, token: &RequestId, progress: Progress) -> Event<W, &W> {
        let pending = self.pending.values().find(|pending| {
            let ours = pending.token.map(|token| RequestId::Integer(token.into()));
            ours.as_ref() == Some(token)
        });
        match pending {
            Some(pending) => Event::Progress(&pending.waiter, progress),
            None => Event::Nothing,
        }
    }

    fn skip(&mut self, bytes: &[u8], reason: &str) {
        self.skipped_lines += 1;
        // A server that logs on its standard output must not flood our log as well.
        if self.skipped_lines <= LOGGED_LINES || self.skipped_lines.is_power_of_two() {
            let line = String::from_utf8_lossy(&bytes[..bytes.len().min(LOGGED_BYTES)]);
            tracing::warn!(
                target: "mcp_client",
                skipped = self.skipped_lines,
                reason = %Excerpt(reason),
                line = %Excerpt(line),
                "skipped a line that is no message"
            );
        }
    }
}

/// This client's ids are positive integers.
fn own_id(id: &RequestId) -> Option<u64> {
    match id {
        RequestId::Integer(id) => u64::try_from(*id).ok(),
        RequestId::String(_) => None,
    }
}

#[cfg(test)]
mod tests;
