//! What servers of revisions with a handshake say on their own, up to the moment when somebody listens.
//!
//! Nobody does before the handshake is over, for only then it is known what the server may ask. It may say as much as
//! it likes until then, so what is kept is bounded, in messages and in bytes.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use mcp_core::rpc::{RequestId, RpcError};
use serde_json::value::RawValue;
use tokio::sync::Notify;

use crate::tally::Tally;

/// How many messages wait to be heard.
const MAX_MESSAGES: usize = 1_000;

/// How much text they have, all of them together. It is as much as one message has on any transport unless it is set,
/// and a single one is taken whatever its length.
const MAX_BYTES: usize = crate::transport::DEFAULT_MAX_MESSAGE;

/// What such a server says unasked.
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
    SessionEnded {
        /// Which one: as many had begun when it said so.
        session: u64,
    },
    /// It is not heard for now, and the session may have ended.
    SessionAway {
        /// Which one, as above.
        session: u64,
    },
}

impl Unasked {
    /// How much text it keeps in memory.
    fn bytes(&self) -> usize {
        let text = |params: &Option<Box<RawValue>>| params.as_ref().map_or(0, |of| of.get().len());
        match self {
            Self::Request {
                id, method, params, ..
            } => {
                let id = match id {
                    RequestId::Integer(_) => 0,
                    RequestId::String(id) => id.len(),
                };
                id + method.len() + text(params)
            }
            Self::Notification { method, params } => method.len() + text(params),
            Self::SessionEnded { .. } | Self::SessionAway { .. } => 0,
        }
    }
}

/// Filled by the task that reads, emptied by the one that listens.
#[derive(Debug, Default)]
pub(crate) struct Unheard {
    state: Mutex<State>,
    news: Notify,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Unasked>,
    bytes: usize,
    /// The last session that has ended, and the last one whose server is away. There is always room for that:
    /// subscriptions depend on it.
    ended: Option<u64>,
    away: Option<u64>,
    dropped: Tally,
}

impl Unheard {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps something until it is heard.
    ///
    /// # Errors
    ///
    /// There is no room for it.
    pub(crate) fn add(&self, unasked: Unasked) -> Result<(), Unasked> {
        let mut state = self.state();
        match unasked {
            Unasked::SessionEnded { session } => state.ended = state.ended.max(Some(session)),
            Unasked::SessionAway { session } => state.away = state.away.max(Some(session)),
            unasked if state.has_room_for(&unasked) => {
                state.bytes += unasked.bytes();
                state.waiting.push_back(unasked);
            }
            unasked => {
                if state
                    .dropped
                    .is_first("a message of the server that nobody could hear")
                {
                    let reason = full();
                    tracing::warn!(target: "mcp_client", reason, "a message of the server was dropped");
                }
                return Err(unasked);
            }
        }
        drop(state);
        self.news.notify_one();
        Ok(())
    }

    /// Waits for what is to be heard next. Nothing is lost if the future is dropped.
    #[cfg(feature = "legacy")]
    pub(crate) async fn next(&self) -> Unasked {
        loop {
            if let Some(unasked) = self.state().take() {
                return unasked;
            }
            self.news.notified().await;
        }
    }
}

impl State {
    fn has_room_for(&self, unasked: &Unasked) -> bool {
        let bytes = self.bytes + unasked.bytes();
        self.waiting.is_empty() || self.waiting.len() < MAX_MESSAGES && bytes <= MAX_BYTES
    }

    #[cfg(feature = "legacy")]
    fn take(&mut self) -> Option<Unasked> {
        // They are not held up by all that came before them, and say of which session they speak.
        if let Some(session) = self.ended.take() {
            return Some(Unasked::SessionEnded { session });
        }
        if let Some(session) = self.away.take() {
            return Some(Unasked::SessionAway { session });
        }
        let unasked = self.waiting.pop_front()?;
        self.bytes -= unasked.bytes();
        Some(unasked)
    }
}

/// What a server is told that asks when there is no room.
pub(crate) fn refusal() -> RpcError {
    RpcError::internal_error(full())
}

fn full() -> String {
    let mib = MAX_BYTES / (1024 * 1024);
    format!(
        "{MAX_MESSAGES} messages or {mib} MiB of the server wait to be heard, and no more than that may"
    )
}

#[cfg(all(test, feature = "legacy"))]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::tally::testing::logged;

    fn notification(bytes: usize) -> Unasked {
        let padding = "x".repeat(bytes.saturating_sub(3));
        let params = RawValue::from_string(format!("\"{padding}\"")).unwrap();
        Unasked::Notification {
            method: "n".to_owned(),
            params: Some(params),
        }
    }

    #[test]
    fn so_many_messages_wait_and_no_more() {
        let lines = logged(|| {
            let unheard = Unheard::default();
            for _ in 0..MAX_MESSAGES {
                unheard.add(notification(3)).unwrap();
            }
            for _ in 0..500 {
                unheard.add(notification(3)).unwrap_err();
            }
            assert!(unheard.state().take().is_some());
            unheard.add(notification(3)).unwrap();
        });
        assert_eq!(lines.len(), 2, "{lines:#?}");
        assert!(lines[0].contains("1000 messages or 16 MiB"), "{lines:#?}");
        assert!(lines[1].contains("499 times more"), "{lines:#?}");
    }

    #[test]
    fn so_much_text_waits_and_no_more() {
        let unheard = Unheard::default();
        let quarter = MAX_BYTES / 4;
        for _ in 0..4 {
            unheard.add(notification(quarter)).unwrap();
        }
        unheard.add(notification(3)).unwrap_err();
        // The text of an id counts as any other.
        let long = Unasked::Request {
            id: RequestId::String("x".repeat(quarter)),
            method: String::new(),
            params: None,
            during: None,
            session: 1,
        };
        unheard.state().take().unwrap();
        unheard.add(long).unwrap();
        unheard.add(notification(3)).unwrap_err();
        while unheard.state().take().is_some() {}
        assert_eq!(unheard.state().bytes, 0);
        // The transport has taken it, however long it is.
        unheard.add(notification(2 * MAX_BYTES)).unwrap();
        unheard.add(notification(3)).unwrap_err();
    }

    #[tokio::test]
    async fn the_end_of_a_session_is_always_heard() {
        let unheard = Unheard::default();
        while unheard.add(notification(3)).is_ok() {}
        for session in [1, 2, 1] {
            unheard.add(Unasked::SessionEnded { session }).unwrap();
        }
        let next = unheard.next().await;
        assert!(
            matches!(next, Unasked::SessionEnded { session: 2 }),
            "{next:?}"
        );
        let next = unheard.next().await;
        assert!(matches!(next, Unasked::Notification { .. }), "{next:?}");
    }
}
