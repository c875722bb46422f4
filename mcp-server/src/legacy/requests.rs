//! Requests to the client: their ids, their answers, and what becomes of those that nobody wants any more.
//!
//! Specification of the earlier revisions: basic/utilities/cancellation, basic/lifecycle, Timeouts.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context as Task, Poll, Waker},
};

use mcp_core::rpc::{RawId, RequestId};
use serde_json::value::RawValue;

use super::{object::text, session::Session};
use crate::{dispatch::CANCELLED, parameters::member, reporter::Outgoing, waking};

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
    last_id: i64,
    /// Few at any time.
    asked: Vec<Asked>,
    has_ended: bool,
}

/// A request, until somebody takes its answer.
struct Asked {
    id: i64,
    answer: Option<Answer>,
    /// Who waits for it.
    waker: Option<Waker>,
}

impl Open {
    fn place(&self, id: i64) -> Option<usize> {
        self.asked.iter().position(|asked| asked.id == id)
    }
}

impl Requests {
    pub(super) fn settle(&self, id: Option<RawId<'_>>, outcome: Result<&RawValue, &RawValue>) {
        let answer = match outcome {
            Ok(result) if !result.get().starts_with('{') => Err(NoAnswer::Unreadable),
            Ok(result) => Ok(result.get().into()),
            Err(error) => {
                let code = member(error.get(), "code").and_then(|code| code.parse().ok());
                let message = member(error.get(), "message").and_then(text);
                Err(NoAnswer::Refused(
                    code.unwrap_or_default(),
                    message.unwrap_or_default(),
                ))
            }
        };
        if !id.is_some_and(|id| self.answer(id, answer)) {
            tracing::debug!("an answer was left out: nobody waits for it");
        }
    }

    /// Gives an answer to whoever waits for it; `false` where nobody does.
    pub(super) fn answer(&self, id: RawId<'_>, answer: Answer) -> bool {
        let id = match id.to_id() {
            RequestId::Integer(id) => i64::try_from(id).ok(),
            RequestId::String(_) => None,
        };
        let mut open = self.lock();
        let Some(at) = id.and_then(|id| open.place(id)) else {
            return false;
        };
        if open.has_ended || open.asked[at].answer.is_some() {
            return false;
        }
        let asked = &mut open.asked[at];
        asked.answer = Some(answer);
        let waker = asked.waker.take();
        drop(open);
        if let Some(waker) = waker {
            waker.wake();
        }
        true
    }

    /// Gives ids that those before have not given, which have ended: the client may still answer them.
    pub(super) fn follow(&self, before: &Self) {
        let last_id = before.lock().last_id;
        self.lock().last_id = last_id;
    }

    /// Nothing is answered any more.
    pub(super) fn end(&self) {
        let mut wakers = Vec::new();
        let mut open = self.lock();
        open.has_ended = true;
        for asked in &mut open.asked {
            if let Some(waker) = asked.waker.take() {
                wakers.push(waker);
            }
        }
        drop(open);
        for waker in wakers {
            waker.wake();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request that was sent. Dropped before its answer has come, it is taken back.
pub(super) struct Pending {
    id: i64,
    session: Arc<Session>,
    out: Arc<dyn Outgoing>,
}

impl Session {
    /// Sends a request among the messages of a call.
    pub(super) fn ask(
        self: &Arc<Self>,
        out: &Arc<dyn Outgoing>,
        call: u64,
        method: &'static str,
        params: &str,
    ) -> Pending {
        let mut open = self.requests.lock();
        let id = open.last_id + 1;
        if !open.has_ended {
            open.last_id = id;
            open.asked.push(Asked {
                id,
                answer: None,
                waker: None,
            });
            drop(open);
            let message =
                format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#);
            out.deliver(call, message.into_bytes());
        }
        Pending {
            id,
            session: Arc::clone(self),
            out: Arc::clone(out),
        }
    }
}

impl Pending {
    pub(super) fn poll(&mut self, cx: &mut Task<'_>) -> Poll<Answer> {
        let mut open = self.session.requests.lock();
        let Some(at) = open.place(self.id) else {
            return Poll::Ready(Err(NoAnswer::Ended));
        };
        if let Some(answer) = open.asked[at].answer.take() {
            let asked = open.asked.swap_remove(at);
            drop(open);
            drop(asked);
            return Poll::Ready(answer);
        }
        if open.has_ended {
            return Poll::Ready(Err(NoAnswer::Ended));
        }
        let before = waking::replace(&mut open.asked[at].waker, cx.waker());
        drop(open);
        drop(before);
        Poll::Pending
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        let mut open = self.session.requests.lock();
        let Some(at) = open.place(self.id) else {
            return;
        };
        let asked = open.asked.swap_remove(at);
        let is_open = asked.answer.is_none() && !open.has_ended;
        drop(open);
        if is_open {
            let message = format!(
                r#"{{"jsonrpc":"2.0","method":"{CANCELLED}","params":{{"requestId":{}}}}}"#,
                self.id
            );
            self.out.deliver(NO_CALL, message.into_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use mcp_core::Revision;

    use super::*;
    use crate::{
        asking::Kinds,
        waking::testing::{ends, last_of},
    };

    struct Nowhere;

    impl Outgoing for Nowhere {
        fn send(&self, _: u64, _: Vec<u8>) {}
    }

    #[test]
    fn a_task_may_end_with_its_waker() {
        ends(|| {
            let out: Arc<dyn Outgoing> = Arc::new(Nowhere);
            let session = Arc::new(Session::new(
                Revision::V2025_11_25,
                Kinds::default(),
                "{}",
                None,
                Arc::clone(&out),
            ));
            let ask = || session.ask(&out, 1, "roots/list", "{}");
            let (mut asked, others) = (ask(), ask());
            let waker = last_of(Mutex::new(others));
            assert!(asked.poll(&mut Task::from_waker(&waker)).is_pending());
            drop(waker);
            assert_eq!(session.requests.lock().asked.len(), 2);
            // The waker that takes its place ends the other task, and so the other request.
            let mut noop = Task::from_waker(Waker::noop());
            assert!(asked.poll(&mut noop).is_pending());
            assert_eq!(session.requests.lock().asked.len(), 1);
        });
    }
}
