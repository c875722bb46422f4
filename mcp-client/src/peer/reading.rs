//! The task that reads, and where that goes which is no answer.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::log::LogQueue;
use super::{Before, Ends, Shared};
use crate::answers::{Answers, pong};
use crate::exchange::Event;
use crate::transport::{Era, MessageReceiver, Metadata, Received};
use crate::unheard::{self, Unasked, Unheard};

/// Where that goes which the server says beside answers.
#[derive(Clone, Debug)]
pub(crate) struct Ears {
    pub(crate) log: Option<LogQueue>,
    pub(crate) unheard: Arc<Unheard>,
}

/// Sorts out what is received.
pub(super) struct Reader {
    pub(super) shared: Arc<Shared>,
    pub(super) ears: Ears,
    pub(super) answers: Arc<Answers>,
}

impl Reader {
    pub(super) async fn read(self, mut receiver: impl MessageReceiver) {
        let _end = Ends(Arc::clone(&self.shared));
        loop {
            let received = receiver.receive().await;
            if self.hear(received).is_break() {
                return;
            }
        }
    }

    /// Sorts out one thing that was received, and says whether there will be more.
    fn hear(&self, received: Received) -> ControlFlow<()> {
        let mut batch = Vec::new();
        match self.shared.exchange().receive(received) {
            // A waiter that is gone was dropped between these two steps.
            Event::Answered(waiter, reply) => drop(waiter.done.send(reply)),
            Event::Progress(waiter, progress) => {
                if let Before::Progress(reports) = &waiter.before {
                    drop(reports.try_send(progress));
                }
            }
            Event::Notice(waiter, method, params) => {
                if let Before::Notices(inbox) = &waiter.before {
                    inbox.take(&method, &params);
                }
            }
            Event::Log(params) => {
                if let Some(log) = &self.ears.log {
                    log.add(params);
                }
            }
            Event::Unasked(unasked) => {
                if let Err(Unasked::Request { id, session, .. }) = self.ears.unheard.add(unasked) {
                    let refused = Err(unheard::refusal());
                    self.answers.send_at_once(&id, refused, of_answers(session));
                }
            }
            Event::Ping(id) => self.answers.send_at_once(&id, pong(), of_answers(0)),
            Event::Batch(messages) => batch = messages,
            Event::Closed(waiters) => {
                drop(waiters);
                self.shared.closed.send_replace(true);
                return ControlFlow::Break(());
            }
            Event::Nothing => {}
        }
        // Now that the lock is free again. There are no batches in batches, so this goes no deeper.
        batch
            .into_iter()
            .try_for_each(|message| self.hear(Received::Message(message)))
    }
}

/// Beside an answer in the session of this number; before the first one it belongs to the handshake.
fn of_answers(session: u64) -> Metadata {
    Metadata {
        era: match session {
            0 => Era::Handshake,
            _ => Era::Session,
        },
        ..Metadata::default()
    }
}
