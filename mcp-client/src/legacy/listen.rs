//! The task that takes what the server sends on its own: it answers questions and passes notifications on.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use mcp_core::rpc::{RequestId, RpcError};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::{Semaphore, watch};
use tokio::task::{AbortHandle, Id, JoinError, JoinSet, consume_budget};

use crate::answers::{Answer, pong};
use crate::client::{Client, Inner};
use crate::transport::Receipt;
use crate::unheard::{Unasked, Unheard};

use super::connection::Connection;
use super::questions::{self, Question};
use super::subscriptions;

/// How many questions of one server may be open.
const MAX_OPEN: usize = 100;

/// Begins to listen, now that it is known what the server may ask.
pub(super) fn listen(client: &Client) {
    let inner = &client.inner;
    if let Some(old) = inner.legacy() {
        let listener = Listener {
            client: Arc::downgrade(inner),
            answering: JoinSet::new(),
            open: HashMap::new(),
            over: old.watch_over(),
            places: Arc::new(Semaphore::new(MAX_OPEN)),
        };
        tokio::spawn(listener.run(Arc::clone(&inner.unheard), inner.peer.watch_closed()));
    }
}

/// Dropped when the connection ends, which takes open questions back.
struct Listener {
    client: Weak<Inner>,
    answering: JoinSet<Answer>,
    open: HashMap<Id, Open>,
    over: watch::Receiver<u64>,
    /// Places for questions, which they have until their answers are delivered.
    places: Arc<Semaphore>,
}

/// A question that is being answered.
struct Open {
    id: RequestId,
    session: u64,
    task: AbortHandle,
    place: Receipt,
}

impl Listener {
    async fn run(mut self, unheard: Arc<Unheard>, mut closed: watch::Receiver<bool>) {
        let mut over = self.over.clone();
        loop {
            // Before anything is taken: what has come already must not keep the answers from being written.
            consume_budget().await;
            tokio::select! {
                biased;
                _ = closed.wait_for(|closed| *closed) => return,
                Ok(()) = over.changed() => self.session_is_over(),
                Some(ended) = self.answering.join_next_with_id() => self.answered(ended),
                unasked = unheard.next() => self.hear(unasked),
            }
        }
    }

    fn hear(&mut self, unasked: Unasked) {
        match unasked {
            Unasked::Request {
                id,
                method,
                params,
                during,
                session,
            } => self.asked(Question {
                id,
                method,
                params,
                during,
                session,
            }),
            Unasked::Notification { method, params } => self.told(&method, params.as_deref()),
            Unasked::SessionEnded { session } => self.session_ended(session),
            Unasked::SessionAway { session } => self.session_away(session),
        }
    }

    fn asked(&mut self, question: Question) {
        let session = question.session;
        if self.is_over(session) {
            return;
        }
        let refusal = match question.method.as_str() {
            "ping" => pong(),
            "elicitation/create" | "sampling/createMessage" | "roots/list" => {
                if let Ok(place) = Arc::clone(&self.places).try_acquire_owned() {
                    let id = question.id.clone();
                    let answer = questions::answer(self.client.clone(), question);
                    let task = self.answering.spawn(answer);
                    let place = Arc::new(place);
                    let open = Open {
                        id,
                        session,
                        task,
                        place,
                    };
                    self.open.insert(open.task.id(), open);
                    return;
                }
                Err(RpcError::internal_error(
                    "too many questions of this server are open",
                ))
            }
            method => Err(RpcError::method_not_found(method)),
        };
        self.respond_at_once(&question.id, session, refusal);
    }

    /// What needs no thought.
    fn respond_at_once(&self, id: &RequestId, session: u64, answer: Answer) {
        self.in_session(session, |client, old| {
            let answers = &client.inner.peer.answers;
            answers.send_at_once(id, answer, old.metadata(""));
        });
    }

    fn answered(&mut self, ended: Result<(Id, Answer), JoinError>) {
        let (task, answer) = match ended {
            Ok(answered) => answered,
            Err(error) if error.is_panic() => {
                let answer = Err(RpcError::internal_error("the host could not answer"));
                (error.id(), answer)
            }
            // The server took it back, and wants no answer.
            Err(error) => {
                self.open.remove(&error.id());
                return;
            }
        };
        if let Some(open) = self.open.remove(&task) {
            self.in_session(open.session, |client, old| {
                let answers = &client.inner.peer.answers;
                answers.send(&open.id, answer, old.metadata(""), open.place);
            });
        }
    }

    /// Takes its open questions back: nobody waits for their answers any more.
    fn session_is_over(&mut self) {
        let over = *self.over.borrow();
        for (_, question) in self.open.extract_if(|_, question| question.session < over) {
            question.task.abort();
        }
    }

    fn is_over(&self, session: u64) -> bool {
        session < *self.over.borrow()
    }

    fn told(&mut self, method: &str, params: Option<&RawValue>) {
        match method {
            "notifications/cancelled" => self.withdrawn(params),
            "notifications/elicitation/complete" => self.with(|_, old| old.pages.done(params)),
            _ => self.with(|_, old| old.listeners.take(method, params)),
        }
    }

    fn withdrawn(&mut self, params: Option<&RawValue>) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Members {
            request_id: RequestId,
        }
        let members = params.and_then(|params| serde_json::from_str::<Members>(params.get()).ok());
        let Some(Members { request_id }) = members else {
            return;
        };
        let mut open = self.open.values();
        if let Some(question) = open.find(|question| question.id == request_id) {
            question.task.abort();
        }
    }

    /// Without subscriptions nothing is missed: the next request begins another session, or the next subscription.
    fn session_ended(&self, session: u64) {
        self.with(|client, old| {
            old.listeners.session_ended(session);
            subscriptions::see_to_session(client, old);
        });
    }

    fn session_away(&self, session: u64) {
        self.with(|client, old| {
            old.listeners.session_away(session);
            subscriptions::see_to_session(client, old);
        });
    }

    /// Does this unless the session is over. What is said to the server here is said before another one begins.
    fn in_session(&self, session: u64, act: impl FnOnce(&Client, &Connection)) {
        let over = self.over.borrow();
        if session >= *over {
            self.with(act);
        }
    }

    fn with(&self, act: impl FnOnce(&Client, &Connection)) {
        if let Some(inner) = self.client.upgrade() {
            let client = Client { inner };
            if let Some(old) = client.inner.legacy() {
                act(&client, old);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    #[tokio::test]
    async fn a_burst_leaves_others_their_turn() {
        let unheard = Arc::new(Unheard::default());
        for _ in 0..1_000 {
            let method = "notifications/x".to_owned();
            let params = None;
            unheard
                .add(Unasked::Notification { method, params })
                .unwrap();
        }
        let over = watch::Sender::new(0);
        let closed = watch::Sender::new(false);
        let listener = Listener {
            client: Weak::new(),
            answering: JoinSet::new(),
            open: HashMap::new(),
            over: over.subscribe(),
            places: Arc::new(Semaphore::new(MAX_OPEN)),
        };
        tokio::spawn(listener.run(Arc::clone(&unheard), closed.subscribe()));
        // The listener is first, and another task has its turn before it is done.
        let waits = tokio::spawn(async move { timeout(Duration::ZERO, unheard.next()).await });
        waits.await.unwrap().unwrap();
    }
}
