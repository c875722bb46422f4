//! The lower floor: one request, one result, and the input request handed back.
//!
//! [`Client::call_tool`](crate::Client::call_tool) is built on it. A host uses it directly when
//! the answer to a question comes from somewhere else than a callback: another process, a web
//! page, tomorrow.

use std::collections::BTreeMap;

use mcp_core::rpc::code;
use serde::de::DeserializeOwned;
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::cache::Lookup;
use crate::capabilities::Capabilities;
use crate::client::{Client, Inner};
use crate::error::Error;
use crate::options::CallOptions;
use crate::outcome::{self, Outcome};
use crate::paused::PausedCall;
use crate::peer::Request;
use crate::question::Kind;
use crate::tools::{self, ToolCall};
use crate::transport::{Era, Metadata};

/// Sends one request at a time and leaves the rounds to the caller.
///
/// A server of a revision with a handshake asks while the call is open. The rounds are made of that: a call
/// that asks comes back as [`Round::InputRequired`] and stays open until it is resumed; dropping the
/// [`PausedCall`] cancels it. What it may ask for is what the builder declared. Where several calls are open
/// the server does not say which of them asks: it is taken to be the one that was begun last.
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
    pub(crate) options: CallOptions,
    /// Questions go to the caller, never to the builder's handlers.
    pub(crate) by_hand: bool,
}

/// What one request led to: a result of type `T`, or questions.
#[derive(Clone, Debug)]
#[must_use]
// The lint takes `T` for nothing; results are about as large.
#[allow(clippy::large_enum_variant)]
pub enum Round<T = ToolCall> {
    /// The call is done.
    Complete(T),
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
    /// Parameters that a transport with headers repeats there, by the name of the header.
    #[serde(default)]
    pub(crate) headers: Vec<(String, String)>,
}

impl Call {
    pub(crate) fn new(
        method: impl Into<String>,
        target: impl Into<String>,
        fields: Vec<(String, String)>,
    ) -> Self {
        Self {
            method: method.into(),
            target: target.into(),
            fields,
            headers: Vec::new(),
        }
    }

    /// A member of `params`, as JSON text.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        let mut fields = self.fields.iter();
        fields.find_map(|(key, value)| (key == name).then_some(value.as_str()))
    }

    pub(crate) fn metadata(&self) -> Metadata {
        Metadata {
            method: self.method.clone(),
            name: self.name(),
            version: Some(crate::VERSION),
            era: Era::Modern,
            params: self.headers.clone(),
        }
    }

    /// The name or URI that the method is about.
    ///
    /// Specification: basic/transports/streamable-http, Standard Request Headers.
    pub(crate) fn name(&self) -> Option<String> {
        let member = match self.method.as_str() {
            "tools/call" | "prompts/get" => "name",
            "resources/read" => "uri",
            _ => return None,
        };
        serde_json::from_str(self.field(member)?).ok()
    }
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
            by_hand: false,
        }
    }

    pub(crate) fn by_hand(mut self) -> Self {
        self.by_hand = true;
        self
    }

    /// Declares a kind of input beside those with a handler: the caller answers it. A server of a revision
    /// with a handshake was told by the builder, and cannot be told again.
    #[must_use]
    pub fn declare(mut self, kind: Kind) -> Self {
        self.capabilities.declare(kind);
        self
    }

    /// Declares only the given kinds of input, whatever handlers there are. Extensions stay declared.
    #[must_use]
    pub fn declare_only(mut self, kinds: impl IntoIterator<Item = Kind>) -> Self {
        self.capabilities = self.capabilities.without_kinds();
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
        let tool = call.target.clone();
        let step = self.first(call).await?;
        self.tool_round(tool, 1, step).await
    }

    /// Sends any request and returns its result as it came, whatever its type. What a server of a revision with a
    /// handshake asks meanwhile goes to the builder's handlers.
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
        let mut call = Call::new(method, method, fields);
        self.client.mirror(&mut call).await?;
        let token = self.token(None);
        self.send(&mut call, None, None, token).await
    }

    /// The first request of a call of any method, unless its result was kept.
    pub(crate) async fn first(&self, mut call: Call) -> Result<Step, Error> {
        let lookup = self.lookup(&call);
        if let Some(kept) = self.kept(lookup.as_ref()) {
            return Ok(Step::Complete(kept));
        }
        self.client.mirror(&mut call).await?;
        let step = self.step(call, None, None, 1, None).await?;
        if let Step::Complete(result) = &step {
            self.keep(lookup, result);
        }
        Ok(step)
    }

    /// Prepares to keep the result of a first request; `None` if that may not be.
    pub(crate) fn lookup(&self, call: &Call) -> Option<Lookup> {
        let cache = self.client.inner.cache.as_ref()?;
        // Revisions with a handshake allow nothing to be kept.
        if self.client.inner.legacy().is_some() {
            return None;
        }
        // What a server makes of entries of the host's own only the server knows.
        if self.client.is_closed() || !self.options.has_only_traces() {
            return None;
        }
        cache.lookup(call, || self.capabilities.to_json().to_string())
    }

    fn kept(&self, lookup: Option<&Lookup>) -> Option<Box<RawValue>> {
        self.client.inner.cache.as_ref()?.get(lookup?)
    }

    pub(crate) fn keep(&self, lookup: Option<Lookup>, result: &RawValue) {
        if let (Some(cache), Some(lookup)) = (&self.client.inner.cache, lookup) {
            cache.keep(lookup, result);
        }
    }

    pub(crate) async fn step(
        &self,
        mut call: Call,
        answers: Option<&BTreeMap<String, String>>,
        state: Option<&str>,
        round: u32,
        token: Option<u64>,
    ) -> Result<Step, Error> {
        let token = self.token(token);
        if let Some(old) = self.client.inner.legacy() {
            // Boxed, so that what a host's functions hold is no deeper and no larger than for servers of today.
            return Box::pin(old.step(self, call, round, token)).await;
        }
        let result = self.send(&mut call, answers, state, token).await;
        let result = result.map_err(|error| error.about(&call))?;
        let server = outcome::server_info(&result).or_else(|| self.client.inner.server_info());
        let asked = match outcome::classify(&call.method, result)? {
            Outcome::Complete(result) => return Ok(Step::Complete(result)),
            Outcome::InputRequired(asked) => asked,
        };
        let paused = PausedCall::new(call, round, asked, server, &self.capabilities, token)?;
        Ok(Step::InputRequired(Box::new(paused)))
    }

    /// A request that is no tool call, and may not be answered with a request for input; unless its
    /// result was kept.
    pub(crate) async fn plain(&self, call: &Call) -> Result<Box<RawValue>, Error> {
        let lookup = self.lookup(call);
        if let Some(kept) = self.kept(lookup.as_ref()) {
            return Ok(kept);
        }
        let result = self.send_as_is(call, None, None, self.token(None)).await?;
        match outcome::classify(&call.method, result)? {
            Outcome::Complete(result) => {
                self.keep(lookup, &result);
                Ok(result)
            }
            Outcome::InputRequired(_) => Err(Error::MayNotAsk {
                method: call.method.clone(),
            }),
        }
    }

    /// One request, sent once more where the server's list of tools tells what was wrong with its
    /// headers.
    ///
    /// Specification: basic/transports/streamable-http, Client Behavior.
    async fn send(
        &self,
        call: &mut Call,
        answers: Option<&BTreeMap<String, String>>,
        state: Option<&str>,
        token: Option<u64>,
    ) -> Result<Box<RawValue>, Error> {
        match self.send_as_is(call, answers, state, token).await {
            Err(error)
                if error.code() == Some(code::HEADER_MISMATCH)
                    && self.client.mirror_anew(call).await =>
            {
                self.send_as_is(call, answers, state, token).await
            }
            answer => answer,
        }
    }

    async fn send_as_is(
        &self,
        call: &Call,
        answers: Option<&BTreeMap<String, String>>,
        state: Option<&str>,
        token: Option<u64>,
    ) -> Result<Box<RawValue>, Error> {
        match self.send_once(call, answers, state, token).await {
            // It speaks this version, so it will not say so twice.
            Err(Error::UnsupportedVersion { theirs, .. })
                if theirs.iter().any(|version| version == crate::VERSION) =>
            {
                self.send_once(call, answers, state, token).await
            }
            answer => answer,
        }
    }

    async fn send_once(
        &self,
        call: &Call,
        answers: Option<&BTreeMap<String, String>>,
        state: Option<&str>,
        token: Option<u64>,
    ) -> Result<Box<RawValue>, Error> {
        if let Some(old) = self.client.inner.legacy() {
            // Boxed as in `step`.
            return Box::pin(old.send(self, call, token)).await;
        }
        let params = self.params(call, answers, state, token)?;
        let request = self.to_request(&call.method, &params, token, call.metadata());
        self.ask(request).await
    }

    /// A request with the limits of this session.
    pub(crate) fn to_request<'a>(
        &self,
        method: &'a str,
        params: &'a str,
        token: Option<u64>,
        metadata: Metadata,
    ) -> Request<'a> {
        Request {
            method,
            params,
            token,
            timeout: self.options.request_timeout.flatten(),
            progress_ceiling: self.options.progress_ceiling,
            metadata,
            clock: None,
            id: None,
        }
    }

    /// Sends one request and hands on what is reported before its answer.
    pub(crate) async fn ask(&self, request: Request<'_>) -> Result<Box<RawValue>, Error> {
        let progress = self.options.progress.as_ref();
        self.client
            .inner
            .peer
            .request(request, |report| {
                if let Some(handler) = progress {
                    handler(report);
                }
            })
            .await
    }

    /// The params of a request as JSON, `_meta` included.
    pub(crate) fn params(
        &self,
        call: &Call,
        answers: Option<&BTreeMap<String, String>>,
        state: Option<&str>,
        token: Option<u64>,
    ) -> Result<String, Error> {
        let inner: &Inner = &self.client.inner;
        let meta = inner.meta(&self.capabilities, &self.options, token);
        let params = Params {
            call,
            answers,
            state,
            meta: &meta,
        };
        serde_json::to_string(&params).map_err(|e| Error::Arguments {
            target: call.target.clone(),
            reason: e.to_string(),
        })
    }

    pub(crate) fn token(&self, wanted: Option<u64>) -> Option<u64> {
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

    /// The same for a call of another method.
    pub(crate) fn round<T: DeserializeOwned>(
        &self,
        method: &str,
        step: Step,
    ) -> Result<Round<T>, Error> {
        match step {
            Step::Complete(result) => self.client.read(method, &result).map(Round::Complete),
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

pub(crate) fn raw<E: serde::ser::Error>(text: &str) -> Result<&RawValue, E> {
    serde_json::from_str(text).map_err(E::custom)
}

/// JSON text on one line: outside of strings a line break is white space, inside it cannot stand.
pub(crate) fn on_one_line(json: &str) -> String {
    json.replace(['\n', '\r'], " ")
}
