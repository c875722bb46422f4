//! The calls of all sessions: how many may go on without anybody who waits for them.
//!
//! Motivation: to close a connection is no cancellation here, so a client can leave behind more calls than it has
//! connections. What bounds the calls of others, their sockets, does not bound these.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use super::{outgoing::Response, session::Session};
use crate::running::Open;

/// So many calls may be under way before those go for which nobody waits.
const MAX_CALLS: usize = 10_000;

/// So many bytes may their requests have.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// The calls of all sessions of an endpoint.
#[derive(Default)]
pub(super) struct Calls(Mutex<Begun>);

#[derive(Default)]
struct Begun {
    last: u64,
    /// Of all requests together.
    bytes: usize,
    by_age: BTreeMap<u64, Call>,
}

struct Call {
    open: Open,
    bytes: usize,
    response: Arc<Response>,
    /// The request, until it has its response.
    request: Weak<()>,
}

impl Call {
    /// Whether nobody waits for it, and it may be given up.
    fn is_left_behind(&self) -> bool {
        self.request.strong_count() == 0 && !self.response.is_read() && !self.open.has_claims()
    }
}

impl Calls {
    /// Takes note of a call, whose request has so many bytes. Where there are too many, the oldest are given up for which
    /// nobody waits.
    pub(super) fn note(
        self: &Arc<Self>,
        open: Open,
        bytes: usize,
        response: &Arc<Response>,
        request: &Arc<()>,
    ) -> Noted {
        let mut begun = self.lock();
        begun.last += 1;
        begun.bytes += bytes;
        let number = begun.last;
        let mut left = Vec::new();
        while begun.by_age.len() >= MAX_CALLS || begun.bytes > MAX_BYTES {
            let Some(call) = begun.take_left_behind() else {
                break;
            };
            left.push(call);
        }
        let call = Call {
            open,
            bytes,
            response: Arc::clone(response),
            request: Arc::downgrade(request),
        };
        begun.by_age.insert(number, call);
        drop(begun);
        if !left.is_empty() {
            tracing::warn!(
                calls = left.len(),
                "calls were given up: nobody waits for them, and too much is under way"
            );
        }
        for call in left {
            call.open.give_up();
        }
        Noted {
            calls: Arc::clone(self),
            number,
        }
    }

    /// The session of the oldest call for which nobody waits, where nobody is connected to that session at all.
    pub(super) fn left_session(&self) -> Option<Arc<Session>> {
        let begun = self.lock();
        let mut left = begun.by_age.values().filter(|call| call.is_left_behind());
        let left = left.find(|call| !call.response.session().streams().are_read());
        left.map(|call| Arc::clone(call.response.session()))
    }

    fn lock(&self) -> MutexGuard<'_, Begun> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Begun {
    fn take_left_behind(&mut self) -> Option<Call> {
        let mut calls = self.by_age.iter();
        let (number, _) = calls.find(|(_, call)| call.is_left_behind())?;
        let number = *number;
        self.remove(number)
    }

    fn remove(&mut self, number: u64) -> Option<Call> {
        let call = self.by_age.remove(&number)?;
        self.bytes -= call.bytes;
        Some(call)
    }
}

/// A call that is counted, until this is dropped.
pub(super) struct Noted {
    calls: Arc<Calls>,
    number: u64,
}

impl Drop for Noted {
    fn drop(&mut self) {
        let ended = self.calls.lock().remove(self.number);
        // Not under the lock: it may be the last to hold the call.
        drop(ended);
    }
}
