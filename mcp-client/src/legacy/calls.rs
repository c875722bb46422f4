//! The requests that are open on a connection, so that a question finds the call it belongs to.
//!
//! Motivation: a server of these revisions does not say for which call it asks. People must be told all the same
//! (specification: client/elicitation, Security Considerations), and a call that is given up takes its question
//! along. Over HTTP a question comes on the stream of its call. Elsewhere usually one call is open; of several, the
//! one that was begun last is taken.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{mpsc, watch};

use crate::outcome::MAY_ASK;
use crate::session::Call;

use super::open_call::Asked;

/// The open requests of one connection, in the order in which they were begun.
#[derive(Clone, Debug, Default)]
pub(super) struct Calls {
    list: Arc<Mutex<List>>,
}

#[derive(Debug, Default)]
struct List {
    last: u64,
    open: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    id: u64,
    /// The id of the request, once it was sent.
    request: Arc<AtomicU64>,
    caller: Caller,
    method: String,
    target: String,
    rounds: Arc<Mutex<Rounds>>,
    given_up: watch::Sender<bool>,
}

/// Who waits for a request.
#[derive(Clone, Debug, Default)]
pub(super) struct Caller {
    /// Where questions go that the caller answers.
    pub(super) by_hand: Option<mpsc::UnboundedSender<Asked>>,
    /// A handler, whose own question is not over.
    pub(super) nested: bool,
    /// How often the call may ask; questions that are open at the same time are one round.
    pub(super) max_rounds: Option<u32>,
}

/// What a call has asked.
#[derive(Debug, Default)]
struct Rounds {
    /// The questions that are open.
    open: usize,
    begun: u32,
}

/// How a call came to its end.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Over {
    /// The caller does not want it any more.
    GivenUp,
    /// It was answered.
    Ended,
}

/// The call that a question most likely belongs to.
#[derive(Debug)]
pub(super) struct Asking {
    /// Which call it is: the [`Open::id`] of it.
    pub(super) call: u64,
    pub(super) method: String,
    pub(super) target: String,
    pub(super) by_hand: Option<mpsc::UnboundedSender<Asked>>,
    /// Whether a handler waits for it, or for one that it cannot be told from.
    pub(super) nested: bool,
    max_rounds: Option<u32>,
    rounds: Arc<Mutex<Rounds>>,
    given_up: watch::Receiver<bool>,
}

/// A question of a call is open.
#[derive(Debug)]
pub(super) struct InRound(Arc<Mutex<Rounds>>);

impl Drop for InRound {
    fn drop(&mut self) {
        let mut rounds = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        rounds.open -= 1;
    }
}

impl Asking {
    /// Waits until the call is over.
    pub(super) async fn over(&mut self) -> Over {
        match self.given_up.wait_for(|given_up| *given_up).await {
            Ok(_) => Over::GivenUp,
            Err(_) => Over::Ended,
        }
    }

    /// Counts a question; `None` if the call has asked often enough.
    pub(super) fn in_round(&self) -> Option<InRound> {
        let mut rounds = self.rounds.lock().unwrap_or_else(PoisonError::into_inner);
        if rounds.open == 0 {
            if self.max_rounds.is_some_and(|max| rounds.begun >= max) {
                return None;
            }
            rounds.begun += 1;
        }
        rounds.open += 1;
        Some(InRound(Arc::clone(&self.rounds)))
    }
}

impl Calls {
    fn list(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of a request until what this returns is dropped.
    pub(super) fn begin(&self, call: &Call, caller: Caller) -> Open {
        let mut list = self.list();
        list.last += 1;
        let id = list.last;
        let request = Arc::new(AtomicU64::new(0));
        list.open.push(Entry {
            id,
            request: Arc::clone(&request),
            caller,
            method: call.method.clone(),
            target: call.target.clone(),
            rounds: Arc::default(),
            given_up: watch::Sender::new(false),
        });
        Open {
            calls: self.clone(),
            id,
            request,
            ended: false,
        }
    }

    /// The call that asks now: the one of this request, where it is known, and otherwise one that may ask.
    pub(super) fn asking(&self, during: Option<u64>) -> Option<Asking> {
        let list = self.list();
        let asks = |entry: &&Entry| match during {
            Some(request) => entry.request.load(Ordering::Acquire) == request,
            None => MAY_ASK.contains(&entry.method.as_str()),
        };
        let entry = list.open.iter().rev().find(asks)?;
        Some(Asking {
            call: entry.id,
            method: entry.method.clone(),
            target: entry.target.clone(),
            by_hand: entry.caller.by_hand.clone(),
            nested: match during {
                Some(_) => entry.caller.nested,
                None => list.open.iter().any(|entry| entry.caller.nested),
            },
            max_rounds: entry.caller.max_rounds,
            rounds: Arc::clone(&entry.rounds),
            given_up: entry.given_up.subscribe(),
        })
    }
}

/// A request is open. Dropped before its end it counts as given up.
#[derive(Debug)]
pub(super) struct Open {
    calls: Calls,
    id: u64,
    request: Arc<AtomicU64>,
    ended: bool,
}

impl Open {
    pub(super) fn id(&self) -> u64 {
        self.id
    }

    /// Where the id of the request belongs.
    pub(super) fn request(&self) -> &AtomicU64 {
        &self.request
    }

    /// It came to its end.
    pub(super) fn end(mut self) {
        self.ended = true;
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let mut list = self.calls.list();
        let place = list.open.iter().position(|entry| entry.id == self.id);
        let entry = place.map(|place| list.open.remove(place));
        // Not under the lock: this wakes who answers its questions.
        drop(list);
        if let Some(entry) = entry
            && !self.ended
        {
            entry.given_up.send_replace(true);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn call(method: &str, target: &str) -> Call {
        Call::new(method, target, Vec::new())
    }

    #[tokio::test(start_paused = true)]
    async fn the_call_begun_last_asks_and_lists_never_do() {
        let calls = Calls::default();
        let caller = Caller::default;
        assert!(calls.asking(None).is_none());
        let _list = calls.begin(&call("tools/list", "tools/list"), caller());
        assert!(calls.asking(None).is_none());
        let first = calls.begin(&call("tools/call", "a"), caller());
        let second = calls.begin(&call("prompts/get", "b"), caller());
        assert_eq!(calls.asking(None).unwrap().target, "b");
        second.end();
        let mut asking = calls.asking(None).unwrap();
        assert_eq!(asking.target, "a");
        drop(first);
        assert_eq!(asking.over().await, Over::GivenUp);
        assert!(calls.asking(None).is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_ends_is_not_given_up() {
        let calls = Calls::default();
        let open = calls.begin(&call("tools/call", "a"), Caller::default());
        let mut asking = calls.asking(None).unwrap();
        open.end();
        assert_eq!(asking.over().await, Over::Ended);
    }

    #[tokio::test(start_paused = true)]
    async fn where_the_request_is_known_no_other_call_asks() {
        let calls = Calls::default();
        let first = calls.begin(&call("tools/call", "a"), Caller::default());
        first.request().store(7, Ordering::Release);
        let second = calls.begin(&call("tools/call", "b"), Caller::default());
        second.request().store(8, Ordering::Release);
        assert_eq!(calls.asking(Some(7)).unwrap().target, "a");
        assert_eq!(calls.asking(Some(8)).unwrap().target, "b");
        assert_eq!(calls.asking(None).unwrap().target, "b");
        assert!(calls.asking(Some(9)).is_none());
    }
}
