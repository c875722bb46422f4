//! The lower floor: one request, one result, and the input request handed back.
//!
//! [`Client::call_tool`](crate::Client::call_tool) is built on it. A host uses it directly when
//! the answer to a question comes from somewhere else than a callback: another process, a web
//! page, tomorrow.

use std::collections::BTreeMap;

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::capabilities::Capabilities;
use crate::client::{Client, Inner};
use crate::error::Error;
use crate::options::CallOptions;
use crate::outcome::{self, Outcome};
use crate::paused::PausedCall;
use crate::peer::Request;
use crate::question::Kind;
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
    /// This is for methods that the client has no function for, and for tests of servers. `params`
    /// must serialise to an object. Its `_meta` is the client's: entries of your own go through
    /// [`CallOptions::meta`].
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

    pub(crate) async fn step(
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
        let paused = PausedCall::new(call, round, asked, server, &self.capabilities, token)?;
        Ok(Step::InputRequired(Box::new(paused)))
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
