//! A call that a host drives by hand: it stays open while its questions are answered, and looks like rounds.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::task::AbortHandle;
use tokio::time::timeout;

use crate::error::Error;
use crate::outcome::InputRequired;
use crate::paused::PausedCall;
use crate::session::{Call, Session, Step};

use super::calls::Caller;
use super::connection::Connection;

/// How long after a question others may follow that belong to the same round: a server that asks several
/// things at once sends them one after another.
const TOGETHER: Duration = Duration::from_millis(10);

/// A question that waits for the host.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(super) key: String,
    /// The request as `{"method":..,"params":..}`.
    pub(super) request: String,
    /// Where the answer goes, as JSON; closed when the server takes the question back.
    pub(super) answer: oneshot::Sender<String>,
}

/// A call that is open at the server. Dropping it cancels the call.
#[derive(Debug)]
pub(crate) struct OpenCall {
    state: Mutex<State>,
    task: AbortHandle,
}

#[derive(Debug)]
struct State {
    questions: mpsc::UnboundedReceiver<Asked>,
    result: oneshot::Receiver<Result<Box<RawValue>, Error>>,
    /// What was handed on and is not answered.
    asked: Vec<Asked>,
    /// The round in which it was.
    round: u32,
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl OpenCall {
    /// Sends the call.
    pub(super) fn begin(session: &Session, call: &Call, token: Option<u64>) -> Arc<Self> {
        let (by_hand, questions) = mpsc::unbounded_channel();
        let (done, result) = oneshot::channel();
        let caller = Caller {
            by_hand: Some(by_hand),
            nested: session.client.inner.turns.is_held_here(),
            max_rounds: None,
        };
        let (session, call) = (session.clone(), call.clone());
        let task = tokio::spawn(async move {
            if let Some(old) = session.client.inner.legacy() {
                let result = old.send_for(&session, &call, token, caller).await;
                // An error means that nobody waits any more.
                let _ = done.send(result);
            }
        });
        Arc::new(Self {
            state: Mutex::new(State {
                questions,
                result,
                asked: Vec::new(),
                round: 0,
            }),
            task: task.abort_handle(),
        })
    }

    /// Gives the answers and waits for what comes next.
    pub(crate) async fn answer(
        self: Arc<Self>,
        session: &Session,
        call: Call,
        answers: &BTreeMap<String, String>,
        round: u32,
    ) -> Result<Step, Error> {
        let mut state = self.state.lock().await;
        // A copy of the paused call may have been resumed before, and the call be further.
        let asked = match state.round + 1 == round {
            true => std::mem::take(&mut state.asked),
            false => Vec::new(),
        };
        drop(state);
        let Some(old) = session.client.inner.legacy().filter(|_| !asked.is_empty()) else {
            return Err(Error::NotOpen {
                method: call.method,
            });
        };
        for question in asked {
            if let Some(answer) = answers.get(&question.key) {
                // An error means that the server took the question back; the call goes on.
                let _ = question.answer.send(answer.clone());
            }
        }
        let ended = self.wait(old, session, &call, round).await;
        old.step_of(session, call, ended, round)
    }

    /// Waits for the result, or for questions.
    pub(super) async fn wait(
        self: Arc<Self>,
        old: &Connection,
        session: &Session,
        call: &Call,
        round: u32,
    ) -> Result<Step, Error> {
        let mut state = self.state.lock().await;
        let state = &mut *state;
        loop {
            let first = tokio::select! {
                biased;
                Some(question) = state.questions.recv() => question,
                result = &mut state.result => {
                    let gone = |_| Err(session.client.inner.peer.closed_error());
                    return result.unwrap_or_else(gone).map(Step::Complete);
                }
            };
            state.asked.push(first);
            while let Ok(Some(question)) = timeout(TOGETHER, state.questions.recv()).await {
                state.asked.push(question);
            }
            state.asked.retain(|question| !question.answer.is_closed());
            if !state.asked.is_empty() {
                state.round = round;
                break;
            }
        }
        let requests = state.asked.iter();
        let asked = InputRequired {
            requests: requests
                .map(|question| (question.key.clone(), question.request.clone()))
                .collect(),
            state: None,
        };
        let server = session.client.inner.server_info();
        let paused = PausedCall::new(call.clone(), round, asked, server, old.declared(), None)?;
        let paused = paused.kept_open(Arc::clone(&self));
        Ok(Step::InputRequired(Box::new(paused)))
    }
}
