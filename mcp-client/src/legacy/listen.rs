//! The task that takes what the server sends on its own: it answers questions and passes notifications on.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use mcp_core::rpc::{RequestId, RpcError};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::{mpsc, watch};
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};

use crate::client::{Client, Inner};
use crate::exchange::Unasked;

use super::connection::{Connection, Response};
use super::questions::{self, Question};

/// How many questions of one server may be open.
const MAX_OPEN: usize = 100;

type Answer = Result<Box<RawValue>, RpcError>;

/// What the server has sent on its own, up to the moment when somebody listens.
#[derive(Debug)]
pub(crate) struct Heard(Mutex<Option<mpsc::UnboundedReceiver<Unasked>>>);

impl Heard {
    pub(crate) fn new(receiver: mpsc::UnboundedReceiver<Unasked>) -> Self {
        Self(Mutex::new(Some(receiver)))
    }
}

/// Begins to listen, now that it is known what the server may ask.
pub(super) fn listen(client: &Client) {
    let heard = &client.inner.heard.0;
    let heard = heard.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(heard) = heard {
        let listener = Listener {
            client: Arc::downgrade(&client.inner),
            answering: JoinSet::new(),
            open: HashMap::new(),
        };
        tokio::spawn(listener.run(heard, client.inner.peer.watch_closed()));
    }
}

/// Dropped when the connection ends, which takes open questions back.
struct Listener {
    client: Weak<Inner>,
    answering: JoinSet<Answer>,
    open: HashMap<Id, (RequestId, AbortHandle)>,
}

impl Listener {
    async fn run(
        mut self,
        mut heard: mpsc::UnboundedReceiver<Unasked>,
        mut closed: watch::Receiver<bool>,
    ) {
        loop {
            tokio::select! {
                biased;
                _ = closed.wait_for(|closed| *closed) => return,
                unasked = heard.recv() => match unasked {
                    Some(unasked) => self.hear(unasked),
                    None => return,
                },
                Some(ended) = self.answering.join_next_with_id() => self.answered(ended),
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
            } => self.asked(Question {
                id,
                method,
                params,
                during,
            }),
            Unasked::Notification { method, params } => self.told(&method, params.as_deref()),
            Unasked::SessionEnded => self.session_ended(),
        }
    }

    fn asked(&mut self, question: Question) {
        let refusal = match question.method.as_str() {
            "ping" => Ok(RawValue::from_string("{}".to_owned()).unwrap_or_default()),
            "elicitation/create" | "sampling/createMessage" | "roots/list" => {
                if self.open.len() < MAX_OPEN {
                    let id = question.id.clone();
                    let answer = questions::answer(self.client.clone(), question);
                    let task = self.answering.spawn(answer);
                    self.open.insert(task.id(), (id, task));
                    return;
                }
                Err(RpcError::internal_error(
                    "too many questions of this server are open",
                ))
            }
            method => Err(RpcError::method_not_found(method)),
        };
        self.respond(&question.id, refusal);
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
        if let Some((id, _)) = self.open.remove(&task) {
            self.respond(&id, answer);
        }
    }

    fn respond(&self, id: &RequestId, answer: Answer) {
        self.with(|client, old| old.respond(client, &Response::new(id, answer)));
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
        if let Some((_, task)) = open.find(|(id, _)| *id == request_id) {
            task.abort();
        }
    }

    /// Without subscriptions nothing is missed: the next request begins another session.
    fn session_ended(&self) {
        self.with(|client, old| {
            if old.listeners.is_empty() {
                return;
            }
            let (client, number) = (client.clone(), old.number());
            tokio::spawn(async move {
                if let Some(old) = client.inner.legacy()
                    && let Err(error) = old.begin_again(&client, number).await
                {
                    tracing::warn!(target: "mcp_client", %error, "subscriptions do not report any more");
                }
            });
        });
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
