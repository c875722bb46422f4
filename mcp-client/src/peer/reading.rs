//! The task that reads, and where that goes which is no answer.

use std::ops::ControlFlow;
use std::sync::Arc;

use tokio::task::consume_budget;

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
            // What the transport has in one piece must not keep the answers to it from being written.
            consume_budget().await;
            let received = receiver.receive().await;
            if self.hear(received).is_break() {
                return;
            }
        }
    }

    /// Sorts out one thing that was received, and says whether there will be more.
    fn hear(&self, received: Received) -> ControlFlow<()> {
        let (mut batch, mut refused) = (Vec::new(), None);
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
            Event::Unasked(unasked) => refused = self.ears.unheard.add(unasked).err(),
            Event::Ping(id) => {
                let metadata = of_answers(Era::Handshake, None);
                self.answers.send_at_once(&id, pong(), metadata);
            }
            Event::Batch(messages) => batch = messages,
            Event::Closed(waiters) => {
                drop(waiters);
                self.shared.closed.send_replace(true);
                return ControlFlow::Break(());
            }
            Event::Nothing => {}
        }
        // Now that the lock is free again.
        if let Some(Unasked::Request { id, session, .. }) = refused {
            let metadata = match session {
                0 => of_answers(Era::Handshake, None),
                _ => of_answers(Era::Session, self.shared.exchange().version()),
            };
            let refusal = Err(unheard::refusal());
            self.answers.send_at_once(&id, refusal, metadata);
        }
        // There are no batches in batches, so this goes no deeper.
        batch
            .into_iter()
            .try_for_each(|message| self.hear(Received::Message(message)))
    }
}

/// What stands beside an answer.
fn of_answers(era: Era, version: Option<&'static str>) -> Metadata {
    Metadata {
        version,
        era,
        ..Metadata::default()
    }
}

#[cfg(all(test, feature = "legacy"))]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::Mutex;

    use tokio::sync::{mpsc, oneshot, watch};

    use super::super::Waiter;
    use super::*;
    use crate::exchange::Exchange;

    #[test]
    fn what_is_refused_in_a_session_has_its_revision() {
        let shared = Arc::new(Shared {
            exchange: Mutex::new(Exchange::new()),
            closed: watch::Sender::new(false),
        });
        let (outgoing, mut queue) = mpsc::unbounded_channel();
        let reader = Reader {
            shared: Arc::clone(&shared),
            ears: Ears {
                log: None,
                unheard: Arc::default(),
            },
            answers: Arc::new(Answers::new(&outgoing)),
        };
        let hear = |message: &str| {
            let heard = reader.hear(Received::Message(message.as_bytes().to_vec()));
            assert!(heard.is_continue());
        };
        shared.exchange().liberties.unasked = true;
        let (done, _answered) = oneshot::channel();
        let before = Before::Progress(mpsc::channel(1).0);
        let waiter = Waiter { done, before };
        let id = shared.exchange().begin_session(waiter).unwrap();
        for _ in 0..1_000 {
            hear(r#"{"jsonrpc":"2.0","method":"notifications/x"}"#);
        }
        let request = r#"{"jsonrpc":"2.0","id":"a","method":"x/y"}"#;
        hear(request);
        let refused = queue.try_recv().unwrap().metadata;
        assert_eq!((refused.era, refused.version), (Era::Handshake, None));
        hear(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
        shared.exchange().agree_on("2025-11-25");
        hear(request);
        let refused = queue.try_recv().unwrap().metadata;
        assert_eq!(refused.era, Era::Session);
        assert_eq!(refused.version, Some("2025-11-25"));
    }
}
