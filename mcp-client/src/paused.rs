//! A call that waits for answers: what was asked, what was answered, and how it goes on.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Not;
use std::sync::Arc;

use mcp_core::protocol::{GetPromptResult, Implementation, ReadResourceResult};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::capabilities::Capabilities;
use crate::error::Error;
use crate::legacy;
use crate::outcome::{self, InputRequired};
use crate::prompts;
use crate::question::{Asker, InputRequest, Kind, Response};
use crate::resources;
use crate::session::{Call, Round, Session, Step, on_one_line};
use crate::tools;

/// A call that waits for answers.
///
/// It can be serialised and resumed by another process, over another connection to the same server
/// (or to a replica of it with the same keys). One of a server of a revision with a handshake cannot: such a
/// server waits for the answers where it asked, and the call is cancelled when the last copy is dropped.
///
/// **It is a credential.** Whoever holds it can finish the call with answers of their own, and it
/// contains the call's arguments. Store it as you would store an access token, and do not log it: its
/// `Debug` output leaves the contents out.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "Saved", into = "Saved")]
pub struct PausedCall {
    saved: Saved,
    requests: Vec<InputRequest>,
    /// Not saved: another process has its own.
    token: Option<u64>,
    /// The call itself, where it waits for the answers. Not saved: it cannot leave its connection.
    open: Option<Arc<legacy::OpenCall>>,
}

const UNASKED: &str = "the server asked nothing under this key";

/// What a paused call is made of. JSON is kept as text, so that any format can carry it unchanged.
#[derive(Clone, Serialize, Deserialize)]
struct Saved {
    call: Call,
    round: u32,
    requests: Vec<(String, String)>,
    state: Option<String>,
    answers: BTreeMap<String, String>,
    server: Option<String>,
    /// It waits on its connection.
    #[serde(default, skip_serializing_if = "Not::not")]
    open: bool,
}

impl PausedCall {
    pub(crate) fn new(
        call: Call,
        round: u32,
        asked: InputRequired,
        server: Option<Implementation>,
        declared: &Capabilities,
        token: Option<u64>,
    ) -> Result<Self, Error> {
        let saved = Saved {
            call,
            round,
            requests: asked.requests,
            state: asked.state,
            answers: BTreeMap::new(),
            server: server.and_then(|server| serde_json::to_string(&server).ok()),
            open: false,
        };
        let requests = outcome::read_requests(&saved.requests, declared, &saved.asker())?;
        Ok(Self {
            saved,
            requests,
            token,
            open: None,
        })
    }

    /// The same, of a call that stays open until its questions are answered.
    #[cfg(feature = "legacy")]
    pub(crate) fn kept_open(mut self, open: Arc<legacy::OpenCall>) -> Self {
        self.saved.open = true;
        self.open = Some(open);
        self
    }

    /// What the server asks for, in its order; empty if it only wants the call to be sent again
    /// after a moment.
    #[must_use]
    pub fn requests(&self) -> &[InputRequest] {
        &self.requests
    }

    /// The requests that have no answer yet.
    pub fn unanswered(&self) -> impl Iterator<Item = &InputRequest> {
        self.requests
            .iter()
            .filter(|request| !self.saved.answers.contains_key(request.key()))
    }

    /// Whether everything that it asks was answered before.
    pub(crate) fn is_answered(&self) -> bool {
        !self.requests.is_empty() && self.unanswered().next().is_none()
    }

    /// The round that asked; the first request of a call is round 1.
    #[must_use]
    pub fn round(&self) -> u32 {
        self.saved.round
    }

    /// The method of the paused call, such as `tools/call`.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.saved.call.method
    }

    /// What was called, such as the tool's name.
    #[must_use]
    pub fn target(&self) -> &str {
        &self.saved.call.target
    }

    /// A request as the server sent it: its `method` and its `params`, as JSON.
    #[must_use]
    pub fn raw_request(&self, key: &str) -> Option<&str> {
        let mut requests = self.saved.requests.iter();
        requests.find_map(|(known, raw)| (known == key).then_some(raw.as_str()))
    }

    /// The server's state for this call, if it sent one. It means something to the server only: this
    /// is for traces and tests.
    #[must_use]
    pub fn request_state(&self) -> Option<String> {
        // A lone surrogate is the one thing JSON text can hold and a string cannot.
        self.saved.state.as_deref().map(|raw| {
            serde_json::from_str(raw).unwrap_or_else(|_| raw.trim_matches('"').to_owned())
        })
    }

    /// Gives the answer to one request: an [`Answer`](crate::Answer) to a form, a
    /// [`Consent`](crate::Consent) to a page, a result to the others. A second answer to the same
    /// request replaces the first.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidAnswer`] if it does not fit the form, is for another kind, or nobody asked
    /// under `key`.
    pub fn answer(&mut self, key: &str, response: impl Into<Response>) -> Result<(), Error> {
        let Some(request) = self.requests.iter().find(|request| request.key() == key) else {
            return Err(Error::InvalidAnswer {
                key: key.to_owned(),
                reason: UNASKED.to_owned(),
            });
        };
        let response = response.into().to_json(request)?;
        self.saved.answers.insert(key.to_owned(), response);
        Ok(())
    }

    /// Gives an answer to one request as it is, whatever it is: this is for tests of servers.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidAnswer`] if nobody asked under `key`, or it does not serialise.
    pub fn answer_unchecked(&mut self, key: &str, response: impl Serialize) -> Result<(), Error> {
        let invalid = |reason: String| Error::InvalidAnswer {
            key: key.to_owned(),
            reason,
        };
        if !self.requests.iter().any(|request| request.key() == key) {
            return Err(invalid(UNASKED.to_owned()));
        }
        let response = serde_json::to_string(&response).map_err(|e| invalid(e.to_string()))?;
        let response = on_one_line(&response);
        self.saved.answers.insert(key.to_owned(), response);
        Ok(())
    }

    /// Sends the call of a tool again, with the answers and the server's state, under a new id.
    ///
    /// # Errors
    ///
    /// [`Error::Unanswered`] while an answer is missing, [`Error::WrongMethod`] if it is no call of a
    /// tool; otherwise what went wrong with this one request.
    pub async fn resume(self, session: &Session) -> Result<Round, Error> {
        self.must_be(tools::CALL)?;
        let (target, rounds) = (self.saved.call.target.clone(), self.saved.round + 1);
        let step = self.next(session).await?;
        session.tool_round(target, rounds, step).await
    }

    /// [`resume`](Self::resume) for a `prompts/get`.
    ///
    /// # Errors
    ///
    /// As there.
    pub async fn resume_prompt(self, session: &Session) -> Result<Round<GetPromptResult>, Error> {
        self.resume_as(prompts::GET, session).await
    }

    /// [`resume`](Self::resume) for a `resources/read`.
    ///
    /// # Errors
    ///
    /// As there.
    pub async fn resume_resource(
        self,
        session: &Session,
    ) -> Result<Round<ReadResourceResult>, Error> {
        self.resume_as(resources::READ, session).await
    }

    async fn resume_as<T: DeserializeOwned>(
        self,
        method: &str,
        session: &Session,
    ) -> Result<Round<T>, Error> {
        self.must_be(method)?;
        let step = self.next(session).await?;
        session.round(method, step)
    }

    fn must_be(&self, method: &str) -> Result<(), Error> {
        if self.method() == method {
            return Ok(());
        }
        Err(Error::WrongMethod {
            method: self.method().to_owned(),
        })
    }

    pub(crate) async fn next(self, session: &Session) -> Result<Step, Error> {
        if let Some(request) = self.unanswered().next() {
            return Err(Error::Unanswered {
                key: request.key().to_owned(),
            });
        }
        let Saved {
            call,
            round,
            state,
            answers,
            open,
            ..
        } = self.saved;
        match self.open {
            Some(waiting) => return waiting.answer(session, call, &answers, round + 1).await,
            None if open => {
                return Err(Error::NotOpen {
                    method: call.method,
                });
            }
            None => {}
        }
        if let Some(old) = session.client.inner.legacy() {
            let (asked, state) = (&self.requests, state.as_deref());
            // Boxed as in `Session::step`.
            return Box::pin(old.resume(session, call, asked, &answers, state, round + 1)).await;
        }
        // Where nothing was asked, nothing is answered.
        let answers = (!answers.is_empty()).then_some(&answers);
        session
            .step(call, answers, state.as_deref(), round + 1, self.token)
            .await
    }
}

impl fmt::Debug for PausedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PausedCall")
            .field("method", &self.saved.call.method)
            .field("target", &self.saved.call.target)
            .field("round", &self.saved.round)
            .field(
                "keys",
                &self
                    .requests
                    .iter()
                    .map(InputRequest::key)
                    .collect::<Vec<_>>(),
            )
            .finish_non_exhaustive()
    }
}

impl Saved {
    fn asker(&self) -> Asker {
        Asker {
            server: self
                .server
                .as_deref()
                .and_then(|server| serde_json::from_str(server).ok()),
            method: self.call.method.clone(),
            target: self.call.target.clone(),
            round: self.round,
        }
    }
}

impl TryFrom<Saved> for PausedCall {
    type Error = Error;

    fn try_from(mut saved: Saved) -> Result<Self, Error> {
        // What was declared was checked when the call was paused.
        let mut all = Capabilities::default();
        [Kind::Form, Kind::Url, Kind::Roots]
            .into_iter()
            .for_each(|kind| all.declare(kind));
        all.declare_sampling_tools();
        let method = saved.call.method.clone();
        let damaged = |reason: String| Error::InvalidResult {
            method: method.clone(),
            reason: format!("the saved call is damaged: {reason}"),
        };
        let texts = saved.answers.values_mut().chain(&mut saved.state);
        let fields = saved.call.fields.iter_mut().map(|(_, value)| value);
        for text in texts.chain(fields) {
            serde_json::from_str::<&RawValue>(text).map_err(|e| damaged(e.to_string()))?;
            // A store may have set the JSON out anew, and a message is one line.
            *text = on_one_line(text);
        }
        if saved
            .state
            .as_ref()
            .is_some_and(|raw| !raw.starts_with('"'))
        {
            return Err(damaged("its state is not a string".to_owned()));
        }
        let asked = |key: &String| saved.requests.iter().any(|(known, _)| known == key);
        if let Some(key) = saved.answers.keys().find(|key| !asked(key)) {
            return Err(damaged(format!("it answers {key:?}, which was not asked")));
        }
        let requests = outcome::read_requests(&saved.requests, &all, &saved.asker())?;
        Ok(Self {
            saved,
            requests,
            token: None,
            open: None,
        })
    }
}

impl From<PausedCall> for Saved {
    fn from(paused: PausedCall) -> Self {
        paused.saved
    }
}
