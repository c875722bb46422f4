//! Requests to the client: their ids, their answers, and what becomes of those that nobody wants any more.
//!
//! Specification of the earlier revisions: basic/utilities/cancellation, basic/lifecycle, Timeouts.

use std::{
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context as Task, Poll},
};

use mcp_core::rpc::{RawId, RequestId, write_notification, write_str};
use serde_json::{json, value::RawValue};
use tokio::sync::oneshot;

use super::session::Session;
use crate::{dispatch::CANCELLED, parameters::member, reporter::Outgoing};

/// In place of a call's number: what must go out although the call was given up.
const NO_CALL: u64 = 0;

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum NoAnswer {
    /// The client's error: its code and what it says.
    Refused(i64, String),
    /// There is one, which is no result: that is an object.
    Unreadable,
    /// The session has ended.
    Ended,
}

/// A result, which is an object, as JSON.
pub(super) type Answer = Result<Box<str>, NoAnswer>;

/// The requests of one session that wait for an answer.
#[derive(Default)]
pub(super) struct Requests(Mutex<Open>);

#[derive(Default)]
struct Open {
    last_id: u64,
    /// Few at any time.
    waiting: Vec<(u64, oneshot::Sender<Answer>)>,
    has_ended: bool,
}

impl Requests {
    pub(super) fn settle(&self, id: Option<RawId<'_>>, outcome: Result<&RawValue, &RawValue>) {
        let answer = match outcome {
            Ok(result) if !result.get().starts_with('{') => Err(NoAnswer::Unreadable),
            Ok(result) => Ok(result.get().into()),
            Err(error) => {
                let code = member(error.get(), "code").map(serde_json::from_str);
                let message = member(error.get(), "message").map(serde_json::from_str);
                Err(NoAnswer::Refused(
                    code.and_then(Result::ok).unwrap_or_default(),
                    message.and_then(Result::ok).unwrap_or_default(),
                ))
            }
        };
        if !id.is_some_and(|id| self.answer(id, answer)) {
            tracing::debug!("an answer was left out: nobody waits for it");
        }
    }

    /// Gives an answer to whoever waits for it; `false` where nobody does.
    pub(super) fn answer(&self, id: RawId<'_>, answer: Answer) -> bool {
        let waiting = match id.to_id() {
            RequestId::Integer(id) => u64::try_from(id).ok().and_then(|id| self.take(id)),
            RequestId::String(_) => None,
        };
        // Whoever has asked may just have gone.
        waiting.is_some_and(|waiting| waiting.send(answer).is_ok())
    }

    /// Gives ids that those before have not given, which have ended: the client may still answer them.
    pub(super) fn follow(&self, before: &Self) {
        let last_id = before.lock().last_id;
        self.lock().last_id = last_id;
    }

    /// Nothing is answered any more.
    pub(super) fn end(&self) {
        let mut open = self.lock();
        open.has_ended = true;
        let waiting = std::mem::take(&mut open.waiting);
        drop(open);
        for (_, waiting) in waiting {
            let _ = waiting.send(Err(NoAnswer::Ended));
        }
    }

    fn take(&self, id: u64) -> Option<oneshot::Sender<Answer>> {
        let mut open = self.lock();
        let at = open.waiting.iter().position(|(known, _)| *known == id)?;
        Some(open.waiting.swap_remove(at).1)
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request that was sent. Dropped before its answer has come, it is taken back.
pub(super) struct Pending {
    id: u64,
    answer: oneshot::Receiver<Answer>,
    session: Arc<Session>,
    out: Arc<dyn Outgoing>,
}

impl Session {
    /// Sends a request among the messages of a call.
    pub(super) fn ask(
        self: &Arc<Self>,
        out: &Arc<dyn Outgoing>,
        call: u64,
        method: &str,
        params: Option<&str>,
    ) -> Pending {
        let (sender, answer) = oneshot::channel();
        let mut open = self.requests.lock();
        let id = open.last_id + 1;
        if open.has_ended {
            let _ = sender.send(Err(NoAnswer::Ended));
        } else {
            open.last_id = id;
            open.waiting.push((id, sender));
            drop(open);
            let mut message = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"#).into_bytes();
            write_str(&mut message, method);
            if let Some(params) = params {
                message.extend_from_slice(br#","params":"#);
                message.extend_from_slice(params.as_bytes());
            }
            message.push(b'}');
            out.deliver(call, message);
        }
        Pending {
            id,
            answer,
            session: Arc::clone(self),
            out: Arc::clone(out),
        }
    }
}

impl Pending {
    pub(super) fn poll(&mut self, cx: &mut Task<'_>) -> Poll<Answer> {
        let polled = Pin::new(&mut self.answer).poll(cx);
        polled.map(|answer| answer.unwrap_or(Err(NoAnswer::Ended)))
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if self.session.requests.take(self.id).is_some() {
            let mut message = Vec::new();
            write_notification(&mut message, CANCELLED, &json!({ "requestId": self.id }));
            self.out.deliver(NO_CALL, message);
        }
    }
}
