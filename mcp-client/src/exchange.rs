//! Which requests are in flight, and what a received message means for them. No I/O.
//!
//! Motivation: every rule about ids, late answers, progress and the end of a connection is here, where
//! it can be tested without a peer. The tasks around it are in `peer`.

use std::collections::HashMap;

use mcp_core::protocol::{CancelledNotificationParams, NotificationMeta};
use mcp_core::rpc::RequestId;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::legacy::batch;
use crate::transport::Received;
use crate::wire::{self, Incoming, Reply};

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
    pending: HashMap<u64, Pending<W>>,
    closed: Option<Closed>,
    skipped_lines: u64,
}

/// What servers of revisions with a handshake may send, and others may not.
#[derive(Debug, Default)]
pub(crate) struct Liberties {
    /// Requests, and notifications that belong to none of ours.
    pub(crate) unasked: bool,
    /// Several messages in one array.
    pub(crate) batches: bool,
}

/// What such a server sends unasked.
#[derive(Debug)]
#[cfg_attr(not(feature = "legacy"), allow(dead_code))]
pub(crate) enum Unasked {
    /// A request, which wants an answer.
    Request {
        id: RequestId,
        method: String,
        params: Option<Box<RawValue>>,
        /// The request of ours on whose stream it came, where the transport has such.
        during: Option<u64>,
        /// How many sessions had begun when it came.
        session: u64,
    },
    Notification {
        method: String,
        params: Option<Box<RawValue>>,
    },
    /// It has ended the session.
    SessionEnded,
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

/// What is to be done about a received message.
#[derive(Debug)]
pub(crate) enum Event<'a, W> {
    /// A request is finished.
    Answered(W, Reply),
    /// A request in flight made progress.
    Progress(&'a W, Progress),
    /// A notification for a request that stays open.
    Notice(&'a W, String, Box<RawValue>),
    /// A log message, for whichever request.
    Log(Box<RawValue>),
    /// What the server sent on its own.
    Unasked(Unasked),
    /// Several messages, to be received one by one.
    Batch(Vec<Vec<u8>>),
    /// The peer is gone: drop these waiters.
    Closed(Vec<W>),
    Nothing,
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
            pending: HashMap::new(),
            closed: None,
            skipped_lines: 0,
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

    /// Gives up on a request; true if it was still in flight. Its answer will be ignored.
    pub(crate) fn forget(&mut self, id: u64) -> bool {
        self.pending.remove(&id).is_some()
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

    pub(crate) fn closed(&self) -> Option<&str> {
        self.closed.as_ref().map(|closed| closed.reason.as_str())
    }

    /// How many lines were received that are no messages.
    pub(crate) fn skipped_lines(&self) -> u64 {
        self.skipped_lines
    }

    pub(crate) fn receive(&mut self, received: Received) -> Event<'_, W> {
        match received {
            Received::Message(bytes) => self.receive_bytes(&bytes, None),
            Received::Meanwhile { id, message } => self.receive_bytes(&message, Some(id)),
            Received::Answer { id, message } => {
                self.answer(Some(id), wire::parse_answer(&message, id))
            }
            Received::Failed { id, failure } => self.answer(Some(id), Reply::Failed(failure)),
            Received::TooLong { id, limit } => {
                tracing::warn!(target: "mcp_client", limit, "a message beyond the limit was dropped");
                self.answer(id, Reply::TooLong { limit })
            }
            Received::SessionEnded if self.liberties.unasked => {
                Event::Unasked(Unasked::SessionEnded)
            }
            Received::SessionEnded => Event::Nothing,
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

    fn receive_bytes(&mut self, bytes: &[u8], during: Option<u64>) -> Event<'_, W> {
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

    fn receive_message(&mut self, incoming: Incoming, during: Option<u64>) -> Event<'_, W> {
        match incoming {
            Incoming::Response { id, reply } => self.answer(id, reply),
            Incoming::Notification { method, params } => self.notify(method, params),
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
                tracing::warn!(target: "mcp_client", method, "the server sent a request; ignored");
                Event::Nothing
            }
        }
    }

    fn answer(&mut self, id: Option<u64>, reply: Reply) -> Event<'_, W> {
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
                    tracing::warn!(target: "mcp_client", %error, "an error for no request in flight");
                } else {
                    tracing::debug!(target: "mcp_client", id, "an answer that nobody waits for");
                }
                Event::Nothing
            }
        }
    }

    fn notify(&mut self, method: String, params: Option<Box<RawValue>>) -> Event<'_, W> {
        match (method.as_str(), params) {
            ("notifications/progress", Some(params)) => {
                match serde_json::from_str::<ProgressParams>(params.get()) {
                    Ok(params) => self.progress(&params.token, params.progress),
                    Err(error) => {
                        tracing::warn!(target: "mcp_client", %error, "a malformed progress report");
                        Event::Nothing
                    }
                }
            }
            ("notifications/message", Some(params)) => Event::Log(params),
            ("notifications/progress" | "notifications/message", None) => {
                tracing::warn!(target: "mcp_client", method, "a notification without params");
                Event::Nothing
            }
            (_, params) if self.liberties.unasked => {
                Event::Unasked(Unasked::Notification { method, params })
            }
            ("notifications/cancelled", Some(params)) => self.withdraw(&params),
            (_, Some(params)) => self.notice(method, params),
            (_, None) => {
                tracing::debug!(target: "mcp_client", method, "a notification without a reader");
                Event::Nothing
            }
        }
    }

    /// Specification: basic/patterns/subscriptions, Receiving Notifications.
    fn notice(&self, method: String, params: Box<RawValue>) -> Event<'_, W> {
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
                tracing::debug!(target: "mcp_client", method, "a notification without a reader");
                Event::Nothing
            }
        }
    }

    /// Specification: basic/patterns/cancellation. A server may take back nothing but a subscription.
    fn withdraw(&mut self, params: &RawValue) -> Event<'_, W> {
        let params = serde_json::from_str::<CancelledNotificationParams>(params.get());
        let id = params.ok().and_then(|params| own_id(&params.request_id));
        match id.and_then(|id| Some((id, self.pending.get(&id)?.listens))) {
            Some((id, true)) => self.answer(Some(id), Reply::Cancelled),
            Some((id, false)) => {
                tracing::warn!(target: "mcp_client", id, "the server cancelled a request; ignored");
                Event::Nothing
            }
            None => Event::Nothing,
        }
    }

    fn progress(&self, token: &RequestId, progress: Progress) -> Event<'_, W> {
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
                reason,
                line = %line.escape_debug(),
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
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::transport::Failure;

    fn line(text: &str) -> Received {
        Received::Message(text.as_bytes().to_vec())
    }

    #[test]
    fn ids_are_never_reused() {
        let mut exchange = Exchange::new();
        let first = exchange.begin("a", None).unwrap();
        exchange.forget(first);
        let second = exchange.begin("b", None).unwrap();
        exchange.receive(line(&format!(
            r#"{{"jsonrpc":"2.0","id":{second},"result":{{}}}}"#
        )));
        let third = exchange.begin("c", None).unwrap();
        assert!(first < second && second < third);
    }

    #[test]
    fn answers_find_their_request_in_any_order() {
        let mut exchange = Exchange::new();
        exchange.begin("a", None).unwrap();
        exchange.begin("b", None).unwrap();
        let second = exchange.receive(line(r#"{"jsonrpc":"2.0","id":2,"result":{}}"#));
        assert!(matches!(second, Event::Answered("b", Reply::Result(_))));
        let first = exchange.receive(line(
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":5,"message":"m"}}"#,
        ));
        assert!(matches!(first, Event::Answered("a", Reply::Error(error)) if error.code == 5));
    }

    #[test]
    fn an_id_of_another_type_answers_nothing() {
        let mut exchange = Exchange::new();
        exchange.begin("a", None).unwrap();
        let event = exchange.receive(line(r#"{"jsonrpc":"2.0","id":"1","result":{}}"#));
        assert!(matches!(event, Event::Nothing));
        assert!(exchange.forget(1));
    }

    #[test]
    fn a_late_answer_is_ignored() {
        let mut exchange = Exchange::new();
        let id = exchange.begin("a", None).unwrap();
        assert!(exchange.forget(id));
        let event = exchange.receive(line(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#));
        assert!(matches!(event, Event::Nothing));
        assert!(!exchange.forget(id), "it is not in flight any more");
    }

    #[test]
    fn lines_that_are_no_messages_are_counted() {
        let mut exchange = Exchange::<()>::new();
        for text in ["starting v1…", "5", "[]", r#"{"level":"info"}"#] {
            assert!(matches!(exchange.receive(line(text)), Event::Nothing));
        }
        exchange.receive(Received::Message(b"\xff".to_vec()));
        assert_eq!(exchange.skipped_lines(), 5);
        exchange.receive(line(
            r#"{"jsonrpc":"2.0","method":"notifications/unknown"}"#,
        ));
        assert_eq!(exchange.skipped_lines(), 5);
    }

    #[test]
    fn a_request_of_the_server_is_not_answered() {
        let mut exchange = Exchange::<()>::new();
        let event = exchange.receive(line(r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#));
        assert!(matches!(event, Event::Nothing));
    }

    #[test]
    fn progress_goes_to_the_request_with_the_same_token() {
        let mut exchange = Exchange::new();
        exchange.begin("a", Some(4)).unwrap();
        exchange.begin("b", Some(5)).unwrap();
        let report = |token: &str| {
            line(&format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":0.5,"total":2}}}}"#
            ))
        };
        let Event::Progress(waiter, progress) = exchange.receive(report("5")) else {
            panic!()
        };
        assert_eq!(
            (*waiter, progress.progress, progress.total),
            ("b", 0.5, Some(2.0))
        );
        assert!(matches!(exchange.receive(report("\"5\"")), Event::Nothing));
        assert!(matches!(exchange.receive(report("6")), Event::Nothing));
        exchange.receive(line(r#"{"jsonrpc":"2.0","id":2,"result":{}}"#));
        assert!(
            matches!(exchange.receive(report("5")), Event::Nothing),
            "after the result"
        );
    }

    #[test]
    fn notices_go_to_the_subscription_whose_id_they_carry() {
        let mut exchange = Exchange::new();
        exchange.begin("call", None).unwrap();
        exchange.begin_listening("a").unwrap();
        exchange.begin_listening("b").unwrap();
        let notice = |id: &str| {
            line(&format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/x","params":{{"_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}},"n":1}}}}"#
            ))
        };
        let Event::Notice(waiter, method, params) = exchange.receive(notice("3")) else {
            panic!()
        };
        assert_eq!((*waiter, method.as_str()), ("b", "notifications/x"));
        assert!(params.get().contains(r#""n":1"#));
        // Another type, a request that is no subscription, one that is not there, one that has ended.
        for id in ["\"3\"", "1", "4", "3.5", "null"] {
            assert!(
                matches!(exchange.receive(notice(id)), Event::Nothing),
                "{id}"
            );
        }
        exchange.receive(line(r#"{"jsonrpc":"2.0","id":3,"result":{}}"#));
        assert!(matches!(exchange.receive(notice("3")), Event::Nothing));
    }

    #[test]
    fn the_server_takes_back_subscriptions_and_nothing_else() {
        let mut exchange = Exchange::new();
        exchange.begin("call", None).unwrap();
        exchange.begin_listening("a").unwrap();
        let cancel = |id: u64| {
            line(&format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
            ))
        };
        assert!(matches!(exchange.receive(cancel(1)), Event::Nothing));
        assert!(exchange.forget(1), "it is still in flight");
        assert!(matches!(
            exchange.receive(cancel(2)),
            Event::Answered("a", Reply::Cancelled)
        ));
        assert!(matches!(exchange.receive(cancel(2)), Event::Nothing));
    }

    #[test]
    fn a_malformed_notification_is_survived() {
        let mut exchange = Exchange::<()>::new();
        for params in [
            "5",
            r#"{"progressToken":1}"#,
            r#"{"progress":"x","progressToken":1}"#,
        ] {
            let text = format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{params}}}"#
            );
            assert!(
                matches!(exchange.receive(line(&text)), Event::Nothing),
                "{params}"
            );
        }
    }

    #[test]
    fn a_token_in_flight_is_not_given_out_twice() {
        let mut exchange = Exchange::new();
        let token = exchange.token(None);
        exchange.begin((), Some(token)).unwrap();
        assert_ne!(exchange.token(Some(token)), token);
        exchange.close("over");
        assert_eq!(exchange.token(Some(token)), token);
    }

    #[test]
    fn closing_hands_out_every_waiter_and_refuses_the_next_with_the_first_reason() {
        let mut exchange = Exchange::new();
        exchange.begin("a", None).unwrap();
        exchange.begin("b", None).unwrap();
        let Event::Closed(mut waiters) = exchange.receive(Received::Closed("status 3".into()))
        else {
            panic!()
        };
        waiters.sort_unstable();
        assert_eq!(waiters, ["a", "b"]);
        exchange.close("another reason");
        assert_eq!(exchange.begin("c", None), Err("status 3".to_owned()));
    }

    #[test]
    fn how_the_peer_ended_replaces_that_it_took_no_more_messages() {
        let mut exchange = Exchange::new();
        exchange.begin("a", None).unwrap();
        exchange.refuse("broken pipe");
        assert_eq!(exchange.begin("b", None), Err("broken pipe".to_owned()));
        let event = exchange.receive(Received::Closed("status 3".into()));
        assert!(matches!(event, Event::Closed(waiters) if waiters == ["a"]));
        assert_eq!(exchange.closed(), Some("status 3"));
    }

    #[test]
    fn a_request_can_fail_alone() {
        let mut exchange = Exchange::new();
        exchange.begin("a", None).unwrap();
        exchange.begin("b", None).unwrap();
        let failure = Failure::Failed {
            status: Some(500),
            reason: "it broke".to_owned(),
        };
        let event = exchange.receive(Received::Failed { id: 1, failure });
        assert!(matches!(event, Event::Answered("a", Reply::Failed(_))));
        assert_eq!(exchange.closed(), None);
        let event = exchange.receive(Received::Answer {
            id: 2,
            message: b"<html>".to_vec(),
        });
        assert!(matches!(event, Event::Answered("b", Reply::Malformed(_))));
    }

    #[test]
    fn an_over_long_answer_ends_its_request_with_the_limit() {
        let mut exchange = Exchange::new();
        exchange.begin("a", None).unwrap();
        let event = exchange.receive(Received::TooLong {
            id: Some(1),
            limit: 9,
        });
        assert!(matches!(
            event,
            Event::Answered("a", Reply::TooLong { limit: 9 })
        ));
    }
}
