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
        let event = {
            let mut exchange = self.shared.exchange();
            exchange
                .receive(received)
                .map(|waiter| waiter.before.clone())
        };
        // The lock is free: what follows wakes tasks, and may drop what is the last to hold one.
        match event {
            // A waiter that is gone was dropped between these two steps.
            Event::Answered(waiter, reply) => drop(waiter.done.send(reply)),
            Event::Progress(Before::Progress(reports), progress) => {
                drop(reports.try_send(progress));
            }
            Event::Notice(Before::Notices(inbox), method, params) => inbox.take(&method, &params),
            Event::Progress(Before::Notices(_), _) | Event::Notice(Before::Progress(_), ..) => {}
            Event::Log(params) => {
                if let Some(log) = &self.ears.log {
                    log.add(params);
                }
            }
            Event::Unasked(unasked) => {
                if let Err(refused) = self.ears.unheard.add(unasked) {
                    self.refuse(refused);
                }
            }
            Event::Ping(id) => {
                let metadata = of_answers(Era::Handshake, None);
                self.answers.send_at_once(&id, pong(), metadata);
            }
            // There are no batches in batches, so this goes no deeper.
            Event::Batch(messages) => {
                return messages
                    .into_iter()
                    .try_for_each(|message| self.hear(Received::Message(message)));
            }
            Event::Closed(waiters) => {
                drop(waiters);
                self.shared.closed.send_replace(true);
                return ControlFlow::Break(());
            }
            Event::Nothing => {}
        }
        ControlFlow::Continue(())
    }

    /// Answers a request that nobody will hear of.
    fn refuse(&self, refused: Unasked) {
        let Unasked::Request { id, session, .. } = refused else {
            return;
        };
        let metadata = match session {
            0 => of_answers(Era::Handshake, None),
            _ => of_answers(Era::Session, self.shared.exchange().version()),
        };
        let refusal = Err(unheard::refusal());
        self.answers.send_at_once(&id, refusal, metadata);
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::{
        future::Future,
        sync::{Mutex, mpsc as channel},
        task::{Context, Wake, Waker},
        thread,
        time::Duration,
    };

    use tokio::sync::{mpsc, oneshot, watch};

    use super::super::{Outgoing, Waiter};
    use super::*;
    use crate::exchange::Exchange;

    fn reader(outgoing: &mpsc::UnboundedSender<Outgoing>) -> Reader {
        let shared = Arc::new(Shared {
            exchange: Mutex::new(Exchange::new()),
            closed: watch::Sender::new(false),
        });
        let ears = Ears {
            log: None,
            unheard: Arc::default(),
        };
        let answers = Arc::new(Answers::new(outgoing));
        Reader {
            shared,
            ears,
            answers,
        }
    }

    fn waiter() -> (Waiter, oneshot::Receiver<crate::wire::Reply>) {
        let (done, answered) = oneshot::channel();
        let before = Before::Progress(mpsc::channel(1).0);
        (Waiter { done, before }, answered)
    }

    fn hear(reader: &Reader, message: &str) {
        let heard = reader.hear(Received::Message(message.as_bytes().to_vec()));
        assert!(heard.is_continue());
    }

    /// A task that runs where it is woken, and looks at the exchange.
    struct Task(Arc<Shared>);

    impl Wake for Task {
        fn wake(self: Arc<Self>) {
            assert!(self.0.exchange().forget(0).is_none());
        }
    }

    #[test]
    fn nobody_is_woken_under_the_lock() {
        let (done, is_done) = channel::channel();
        let working = thread::spawn(move || {
            let reader = reader(&mpsc::unbounded_channel().0);
            let (waiter, answered) = waiter();
            let id = reader.shared.exchange().begin(waiter, None).unwrap();
            let mut answered = Box::pin(answered);
            let waker = Waker::from(Arc::new(Task(Arc::clone(&reader.shared))));
            let mut task = Context::from_waker(&waker);
            assert!(answered.as_mut().poll(&mut task).is_pending());
            hear(
                &reader,
                &format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#),
            );
            done.send(answered.as_mut().poll(&mut task).is_ready())
                .unwrap();
        });
        let ended = is_done.recv_timeout(Duration::from_secs(10));
        assert_ne!(
            ended,
            Err(channel::RecvTimeoutError::Timeout),
            "it waits for its own lock"
        );
        working.join().unwrap();
    }

    #[cfg(feature = "legacy")]
    #[test]
    fn what_is_refused_in_a_session_has_its_revision() {
        let (outgoing, mut queue) = mpsc::unbounded_channel();
        let reader = reader(&outgoing);
        let hear = |message: &str| hear(&reader, message);
        let shared = &reader.shared;
        shared.exchange().liberties.unasked = true;
        let (waiter, _answered) = waiter();
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
