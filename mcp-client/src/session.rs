//! The lower floor: one request, one result, and the input request handed back.
//!
//! [`Client::call_tool`](crate::Client::call_tool) is built on it. A host uses it directly when
//! the answer to a question comes from somewhere else than a callback: another process, a web
//! page, tomorrow.

use std::collections::BTreeMap;
use std::fmt;

use mcp_core::protocol::Implementation;
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::capabilities::Capabilities;
use crate::client::{Client, Inner};
use crate::error::Error;
use crate::options::CallOptions;
use crate::outcome::{self, Outcome};
use crate::peer::Request;
use crate::question::{Asker, InputRequest, Kind, Response};
use crate::tools::{self, ToolCall};

/// Sends one request at a time and leaves the rounds to the caller.
///
/// ```no_run
/// # async fn example(client: mcp_client::Client) -> Result<(), mcp_client::Error> {
/// use mcp_client::{Answer, Kind, Round};
/// use serde_json::json;
///
/// let session = client.session().declare(Kind::Form);
/// match session.call_tool("issue_refund", json!({"order_id": "O-2289"})).await? {
///     Round::Complete(call) => println!("{}", call.text()),
///     Round::InputRequired(mut paused) => {
///         for request in paused.requests() {
///             println!("{}: {}", request.kind(), request.key());
///         }
///         paused.answer("confirm", Answer::Decline)?;
///         let _last = paused.resume(&session).await?;
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Session {
    pub(crate) client: Client,
    capabilities: Capabilities,
    options: CallOptions,
}

/// What one request led to.
#[derive(Clone, Debug)]
#[must_use]
pub enum Round {
    /// The call is done.
    Complete(ToolCall),
    /// The server wants something first.
    InputRequired(PausedCall),
}

/// A call that waits for answers.
///
/// It can be serialised and resumed by another process, over another connection to the same server
/// (or to a replica of it with the same keys).
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
}

/// What a paused call is made of. JSON is kept as text, so that any format can carry it unchanged.
#[derive(Clone, Serialize, Deserialize)]
struct Saved {
    call: Call,
    round: u32,
    requests: Vec<(String, String)>,
    state: Option<String>,
    answers: BTreeMap<String, String>,
    server: Option<Implementation>,
}

/// The part of a request that stays the same over all rounds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Call {
    pub(crate) method: String,
    /// What is called, for people and errors.
    pub(crate) target: String,
    /// Members of `params` as JSON text.
    pub(crate) fields: Vec<(String, String)>,
}

/// What one request of any method led to.
#[derive(Debug)]
pub(crate) enum Step {
    Complete(Box<RawValue>),
    InputRequired(Box<PausedCall>),
}

impl Session {
    pub(crate) fn new(client: Client, options: CallOptions) -> Self {
        let capabilities = client.inner.capabilities.clone();
        let options = options.or(&client.inner.defaults);
        Self {
            client,
            capabilities,
            options,
        }
    }

    /// Declares a kind of input beside those with a handler: the caller answers it.
    #[must_use]
    pub fn declare(mut self, kind: Kind) -> Self {
        self.capabilities.declare(kind);
        self
    }

    /// Declares only the given kinds, whatever handlers there are.
    #[must_use]
    pub fn declare_only(mut self, kinds: impl IntoIterator<Item = Kind>) -> Self {
        self.capabilities = Capabilities::default();
        kinds
            .into_iter()
            .for_each(|kind| self.capabilities.declare(kind));
        self
    }

    /// Sets timeout, progress handler and the like for the requests of this session. Deadline and
    /// rounds are the caller's here.
    #[must_use]
    pub fn options(mut self, options: CallOptions) -> Self {
        self.options = options.or(&self.client.inner.defaults);
        self
    }

    /// Sends the first request of a call.
    ///
    /// # Errors
    ///
    /// [`Error::Arguments`] for arguments that are no object; otherwise what went wrong with this
    /// one request.
    pub async fn call_tool(
        &self,
        tool: impl Into<String>,
        arguments: impl Serialize,
    ) -> Result<Round, Error> {
        let call = tools::call(tool.into(), &arguments)?;
        let step = self.first(call.clone()).await?;
        self.tool_round(call.target, 1, step).await
    }

    /// Sends any request and returns its result as it came, whatever its type.
    ///
    /// `_meta` is added. This is for methods that the client has no function for, and for tests
    /// of servers; `params` must serialise to an object.
    ///
    /// # Errors
    ///
    /// What went wrong with this one request; [`Error::Arguments`] for params that are no object.
    pub async fn request(
        &self,
        method: &str,
        params: impl Serialize,
    ) -> Result<Box<RawValue>, Error> {
        let not_an_object = |e: serde_json::Error| Error::Arguments {
            target: method.to_owned(),
            reason: e.to_string(),
        };
        let params = serde_json::to_string(&params).map_err(not_an_object)?;
        let members: BTreeMap<String, Box<RawValue>> =
            serde_json::from_str(&params).map_err(not_an_object)?;
        let fields = members
            .into_iter()
            .filter(|(key, _)| key != "_meta")
            .map(|(key, value)| (key, on_one_line(value.get())))
            .collect();
        let call = Call {
            method: method.to_owned(),
            target: method.to_owned(),
            fields,
        };
        let token = self.token(None);
        self.send(&call, None, None, token).await
    }

    /// The first request of a call of any method.
    pub(crate) async fn first(&self, call: Call) -> Result<Step, Error> {
        self.step(call, None, None, 1, None).await
    }

    async fn step(
        &self,
        call: Call,
        answers: Option<&BTreeMap<String, String>>,
        state: Option<&str>,
        round: u32,
        token: Option<u64>,
    ) -> Result<Step, Error> {
        let token = self.token(token);
        let result = self.send(&call, answers, state, token).await?;
        let server = outcome::server_info(&result).or_else(|| self.client.inner.server_info());
        let asked = match outcome::classify(&call.method, result)? {
            Outcome::Complete(result) => return Ok(Step::Complete(result)),
            Outcome::InputRequired(asked) => asked,
        };
        let saved = Saved {
            call,
            round,
            requests: asked.requests,
            state: asked.state,
            answers: BTreeMap::new(),
            server,
        };
        let requests = outcome::read_requests(&saved.requests, &self.capabilities, &saved.asker())?;
        Ok(Step::InputRequired(Box::new(PausedCall {
            saved,
            requests,
            token,
        })))
    }

    async fn send(
        &self,
        call: &Call,
        answers: Option<&BTreeMap<String, String>>,
        state: Option<&str>,
        token: Option<u64>,
    ) -> Result<Box<RawValue>, Error> {
        let inner: &Inner = &self.client.inner;
        let meta = inner.meta(&self.capabilities, &self.options, token);
        let params = Params {
            call,
            answers,
            state,
            meta: &meta,
        };
        let params = serde_json::to_string(&params).map_err(|e| Error::Arguments {
            target: call.target.clone(),
            reason: e.to_string(),
        })?;
        let request = Request {
            method: &call.method,
            params: &params,
            token,
            timeout: self.options.request_timeout.flatten(),
            progress_ceiling: self.options.progress_ceiling,
        };
        let progress = self.options.progress.as_ref();
        inner
            .peer
            .request(request, |report| {
                if let Some(handler) = progress {
                    handler(report);
                }
            })
            .await
    }

    fn token(&self, wanted: Option<u64>) -> Option<u64> {
        self.options
            .wants_progress()
            .then(|| self.client.inner.peer.token(wanted))
    }

    pub(crate) async fn tool_round(
        &self,
        tool: String,
        rounds: u32,
        step: Step,
    ) -> Result<Round, Error> {
        match step {
            Step::Complete(result) => {
                let call = ToolCall::read(tool, rounds, &result)?;
                Ok(Round::Complete(self.client.checked(call).await?))
            }
            Step::InputRequired(paused) => Ok(Round::InputRequired(*paused)),
        }
    }
}

impl PausedCall {
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
                reason: "the server asked nothing under this key".to_owned(),
            });
        };
        let response = response.into().to_json(request)?;
        self.saved.answers.insert(key.to_owned(), response);
        Ok(())
    }

    /// Sends the call again, with the answers and the server's state, under a new id.
    ///
    /// # Errors
    ///
    /// [`Error::Unanswered`] while an answer is missing; otherwise what went wrong with this one
    /// request.
    pub async fn resume(self, session: &Session) -> Result<Round, Error> {
        let (target, rounds) = (self.saved.call.target.clone(), self.saved.round + 1);
        let step = self.next(session).await?;
        session.tool_round(target, rounds, step).await
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
            ..
        } = self.saved;
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
            server: self.server.clone(),
            method: self.call.method.clone(),
            target: self.call.target.clone(),
            round: self.round,
        }
    }
}

impl TryFrom<Saved> for PausedCall {
    type Error = Error;

    fn try_from(saved: Saved) -> Result<Self, Error> {
        // What was declared was checked when the call was paused.
        let mut all = Capabilities::default();
        [Kind::Form, Kind::Url, Kind::Roots]
            .into_iter()
            .for_each(|kind| all.declare(kind));
        all.declare_sampling_tools();
        let texts = saved.answers.values().chain(&saved.state);
        let fields = saved.call.fields.iter().map(|(_, value)| value);
        for text in texts.chain(fields) {
            serde_json::from_str::<&RawValue>(text).map_err(|e| Error::InvalidResult {
                method: saved.call.method.clone(),
                reason: format!("the saved call is damaged: {e}"),
            })?;
        }
        let requests = outcome::read_requests(&saved.requests, &all, &saved.asker())?;
        Ok(Self {
            saved,
            requests,
            token: None,
        })
    }
}

impl From<PausedCall> for Saved {
    fn from(paused: PausedCall) -> Self {
        paused.saved
    }
}

/// The params of one request.
struct Params<'a> {
    call: &'a Call,
    answers: Option<&'a BTreeMap<String, String>>,
    state: Option<&'a str>,
    meta: &'a Map<String, Value>,
}

impl Serialize for Params<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (key, value) in &self.call.fields {
            map.serialize_entry(key, raw(value)?)?;
        }
        if let Some(answers) = self.answers {
            let answers: Result<BTreeMap<&String, &RawValue>, S::Error> = answers
                .iter()
                .map(|(key, answer)| Ok((key, raw(answer)?)))
                .collect();
            map.serialize_entry("inputResponses", &answers?)?;
        }
        if let Some(state) = self.state {
            map.serialize_entry("requestState", raw(state)?)?;
        }
        map.serialize_entry("_meta", self.meta)?;
        map.end()
    }
}

fn raw<E: serde::ser::Error>(text: &str) -> Result<&RawValue, E> {
    serde_json::from_str(text).map_err(E::custom)
}

/// JSON text on one line: outside of strings a line break is white space, inside it cannot stand.
pub(crate) fn on_one_line(json: &str) -> String {
    json.replace(['\n', '\r'], " ")
}
