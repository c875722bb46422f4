//! What a call sends before its answer, on its way into the response.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    task::Waker,
};

use crate::{reporter::Outgoing, waking};

/// So much waits for a client that does not read; what is sent then is left out.
const HIGH_WATER: usize = 1024 * 1024;

/// A comment, which clients pass over: it keeps proxies from closing a silent stream.
///
/// Specification: basic/transports/streamable-http, Receiving Messages.
pub(crate) const COMMENT: &[u8] = b":\n\n";

/// Appends a message as one event. A message is one line.
pub(super) fn write_event(out: &mut Vec<u8>, message: &[u8]) {
    out.reserve(message.len() + 8);
    out.extend_from_slice(b"data: ");
    out.extend_from_slice(message);
    out.extend_from_slice(b"\n\n");
}

/// The events of one call that are not in its response yet.
pub(super) struct Events {
    /// Whether the client takes any.
    wanted: bool,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    text: Vec<u8>,
    /// Whether there was something that must not be left out, for a client that takes no events.
    lost: bool,
    /// Who writes the response.
    waker: Option<Waker>,
}

impl Events {
    pub(super) fn new(wanted: bool) -> Self {
        Self {
            wanted,
            waiting: Mutex::default(),
        }
    }

    /// Wakes this one whenever there is something to write.
    pub(super) fn wake_up(&self, waker: &Waker) {
        let mut waiting = self.lock();
        let before = waking::replace(&mut waiting.waker, waker);
        drop(waiting);
        drop(before);
    }

    /// What was sent since; empty where nothing was.
    pub(super) fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.lock().text)
    }

    /// Whether the client takes no events, and there was one that must not be left out.
    pub(super) fn has_lost(&self) -> bool {
        self.lock().lost
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lock().text.is_empty()
    }

    fn push(mut waiting: MutexGuard<'_, Waiting>, message: &[u8]) {
        write_event(&mut waiting.text, message);
        let waker = waiting.waker.clone();
        drop(waiting);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Outgoing for Events {
    fn send(&self, _call: u64, message: Vec<u8>) {
        if !self.wanted {
            return;
        }
        let waiting = self.lock();
        // Progress and log messages are worth less than memory.
        if waiting.text.len() <= HIGH_WATER {
            Self::push(waiting, &message);
        }
    }

    /// The response takes everything whenever it polls the one who delivers, so there is always room.
    fn deliver(&self, _call: u64, message: Vec<u8>) {
        let mut waiting = self.lock();
        if self.wanted {
            Self::push(waiting, &message);
        } else {
            waiting.lost = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::waking::testing::{AtEnd, ends, last_of};

    #[test]
    fn whoever_writes_may_end_with_its_waker() {
        ends(|| {
            let events = Arc::new(Events::new(true));
            let sends = Arc::clone(&events);
            events.wake_up(&last_of(AtEnd(move || sends.deliver(1, b"{}".to_vec()))));
            events.wake_up(Waker::noop());
            assert_eq!(events.take(), b"data: {}\n\n");
        });
    }
}
