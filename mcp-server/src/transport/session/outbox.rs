//! Where calls that wait put what goes to their client, from whatever thread they run on.

use std::{
    mem,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context as Task, Poll, Waker},
};

use mcp_core::rpc::RequestId;

use super::{HIGH_WATER, Output};
use crate::{legacy, reporter::Outgoing, running::Open, waking};

/// In place of a call's number: an answer, which is never forgotten.
const ANSWER: u64 = 0;

/// Where calls that wait put their messages and answers.
#[derive(Default)]
pub(in crate::transport) struct Outbox {
    waiting: Mutex<Waiting>,
    /// Whether there are messages or answers: looked at without the lock.
    sent: AtomicBool,
    /// Whether calls have finished: looked at without the lock.
    ended: AtomicBool,
    /// What an earlier client has agreed on. Here, because it ends when nothing more comes.
    pub(super) earlier: legacy::Connection,
}

#[derive(Default)]
struct Waiting {
    /// Messages and answers in their order, each with the number of its call.
    messages: Vec<(u64, Vec<u8>)>,
    /// How many bytes they have.
    bytes: usize,
    finished: Vec<RequestId>,
    /// What has not ended, calls that were given up and may not be dropped among it. A place that is free is taken again.
    working: Vec<Option<Open>>,
    free: Vec<usize>,
    /// Who writes.
    waker: Option<Waker>,
    /// Who waits for room, by number.
    crowd: Vec<(u64, Waker)>,
}

impl Waiting {
    fn push(&mut self, call: u64, mut message: Vec<u8>) {
        message.push(b'\n');
        self.bytes += message.len();
        self.messages.push((call, message));
    }

    fn is_full(&self) -> bool {
        self.bytes > HIGH_WATER
    }
}

impl Outbox {
    /// Whether there may be messages or answers.
    #[inline]
    pub(super) fn has_sent(&self) -> bool {
        self.sent.load(Ordering::Relaxed)
    }

    /// The calls that have finished since this was asked.
    #[inline]
    pub(super) fn take_finished(&self) -> Vec<RequestId> {
        if self.ended.swap(false, Ordering::Relaxed) {
            return mem::take(&mut self.lock().finished);
        }
        Vec::new()
    }

    /// Wakes this one whenever there is something to write, or a call has ended.
    pub(in crate::transport) fn wake_up(&self, waker: &Waker) {
        let mut waiting = self.lock();
        let before = waking::replace(&mut waiting.waker, waker);
        drop(waiting);
        drop(before);
    }

    /// Moves what was sent behind the output, unless that is full.
    pub(in crate::transport) fn take(&self, output: &mut Output) {
        if !output.is_full() {
            self.move_to(&mut output.bytes);
        }
    }

    #[inline]
    pub(super) fn move_to(&self, out: &mut Vec<u8>) {
        // It is set before anybody is woken to take what there is.
        if self.sent.swap(false, Ordering::Relaxed) {
            self.move_all(out);
        }
    }

    #[cold]
    fn move_all(&self, out: &mut Vec<u8>) {
        let mut waiting = self.lock();
        let messages = mem::take(&mut waiting.messages);
        let crowd = mem::take(&mut waiting.crowd);
        waiting.bytes = 0;
        drop(waiting);
        for (_, message) in messages {
            out.extend_from_slice(&message);
        }
        for (_, waker) in crowd {
            waker.wake();
        }
    }

    /// How many calls and subscriptions have not ended.
    pub(in crate::transport) fn working(&self) -> usize {
        let waiting = self.lock();
        waiting.working.len() - waiting.free.len()
    }

    /// Nothing more comes from the client: what would go on for ever ends in good order.
    pub(in crate::transport) fn close(&self) {
        self.earlier.end();
        self.everything().iter().for_each(Open::close);
    }

    /// The client has gone: what has claimed nothing ends, and nothing more is sent.
    pub(in crate::transport) fn give_up(&self) {
        self.earlier.end();
        self.everything().iter().for_each(Open::give_up);
    }

    /// Says what goes on without its client.
    pub(in crate::transport) fn warn_of_left_calls(&self) {
        let calls = self.working();
        if calls > 0 {
            tracing::warn!(calls, "calls were still under way after the grace period");
        }
    }

    fn everything(&self) -> Vec<Open> {
        self.lock().working.iter().flatten().cloned().collect()
    }

    /// Forgets what a call has sent: its client has given it up.
    pub(super) fn discard(&self, call: u64) {
        if call == ANSWER {
            return;
        }
        let mut waiting = self.lock();
        waiting.messages.retain(|(of, _)| *of != call);
        waiting.bytes = waiting
            .messages
            .iter()
            .map(|(_, message)| message.len())
            .sum();
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that there is something to take, once it is there.
    fn wake(&self, waiting: MutexGuard<'_, Waiting>) {
        self.sent.store(true, Ordering::Relaxed);
        let waker = waiting.waker.clone();
        drop(waiting);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl Outgoing for Outbox {
    fn send(&self, call: u64, message: Vec<u8>) {
        // Progress and log messages are worth less than memory.
        if !self.lock().is_full() {
            self.deliver(call, message);
        }
    }

    fn deliver(&self, call: u64, message: Vec<u8>) {
        let mut waiting = self.lock();
        waiting.push(call, message);
        self.wake(waiting);
    }

    fn poll_room(&self, call: u64, cx: &mut Task<'_>) -> Poll<()> {
        let mut waiting = self.lock();
        if !waiting.is_full() {
            return Poll::Ready(());
        }
        let waker = cx.waker().clone();
        let before = match waiting.crowd.iter_mut().find(|(of, _)| *of == call) {
            Some((_, before)) => Some(mem::replace(before, waker)),
            None => {
                waiting.crowd.push((call, waker));
                None
            }
        };
        drop(waiting);
        drop(before);
        Poll::Pending
    }

    fn is_shared(&self) -> bool {
        true
    }
}

/// Makes what goes out of an answer, or of there being none.
pub(super) type Last = Box<dyn FnOnce(Option<Vec<u8>>) -> Option<Vec<u8>> + Send>;

/// Ends a call that waits, whatever becomes of its task.
pub(super) struct Finishing {
    outbox: Arc<Outbox>,
    /// Its place among what has not ended.
    place: usize,
    id: RequestId,
    answer: Option<Vec<u8>>,
    last: Option<Last>,
}

impl Finishing {
    pub(super) fn new(outbox: &Arc<Outbox>, id: RequestId, open: Open, last: Option<Last>) -> Self {
        let mut waiting = outbox.lock();
        let place = match waiting.free.pop() {
            Some(place) => place,
            None => {
                waiting.working.push(None);
                waiting.working.len() - 1
            }
        };
        waiting.working[place] = Some(open);
        drop(waiting);
        Self {
            outbox: Arc::clone(outbox),
            place,
            id,
            answer: None,
            last,
        }
    }

    pub(super) fn with(mut self, answer: Option<Vec<u8>>) {
        self.answer = answer;
    }
}

impl Drop for Finishing {
    fn drop(&mut self) {
        let answer = self.answer.take();
        let is_answered = answer.is_some();
        let message = match self.last.take() {
            Some(last) => last(answer),
            None => answer,
        };
        let mut waiting = self.outbox.lock();
        let ended = waiting.working[self.place].take();
        waiting.free.push(self.place);
        if let Some(message) = message {
            waiting.push(ANSWER, message);
        }
        if is_answered {
            // A call that was given up has left the register already, and its id may be in use again.
            waiting.finished.push(self.id.clone());
            self.outbox.ended.store(true, Ordering::Relaxed);
        }
        self.outbox.wake(waiting);
        // Not under the lock: it may be the last to hold the call.
        drop(ended);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::waking::testing::{AtEnd, ends, last_of};

    #[test]
    fn whoever_waits_may_end_with_its_waker() {
        ends(|| {
            let outbox = Arc::new(Outbox::default());
            outbox.deliver(1, vec![b' '; HIGH_WATER]);
            let last_of_a_call = || {
                let outbox = Arc::clone(&outbox);
                last_of(AtEnd(move || outbox.deliver(2, b"{}".to_vec())))
            };
            let poll_room = |waker: &Waker| outbox.poll_room(1, &mut Task::from_waker(waker));
            outbox.wake_up(&last_of_a_call());
            outbox.wake_up(Waker::noop());
            assert_eq!(outbox.lock().messages.len(), 2);
            assert!(poll_room(&last_of_a_call()).is_pending());
            assert!(poll_room(Waker::noop()).is_pending());
            assert_eq!(outbox.lock().messages.len(), 3);
        });
    }
}
