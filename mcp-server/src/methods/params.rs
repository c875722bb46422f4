//! The one place that turns a message's `params` into what a method takes.
//!
//! Motivation: the members that client requests share are few, and `_meta` stands on each of them.
//! So one struct has them all: `_meta` and names typed, what only a method can read as raw JSON. An
//! envelope is then read in a single pass; where that fails, `diagnose` says why.

use std::{borrow::Cow, fmt};

use mcp_core::{
    Revision,
    protocol::{LoggingLevel, Meta},
    rpc::{ByName, RpcError, optional_str},
};
use serde::{Deserialize, Deserializer, de::Visitor};
use serde_json::{Map, Value, value::RawValue};

use crate::{
    asking::{InputResponses, Kind, Kinds, Place},
    legacy,
    parameters::{Members, member},
};

/// The members of a client's `params`, of whatever method.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Params<'a> {
    #[serde(borrow, rename = "_meta")]
    pub(crate) meta: Option<ByName<RequestMeta<'a>>>,
    #[serde(borrow, default, deserialize_with = "optional_str")]
    pub(crate) name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(crate) arguments: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "optional_str")]
    pub(crate) request_state: Option<Cow<'a, str>>,
    /// Where it is `null` it is there, and malformed.
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) input_responses: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) cursor: Option<&'a RawValue>,
    /// Of `resources/read`.
    #[serde(borrow, default, deserialize_with = "optional_str")]
    pub(crate) uri: Option<Cow<'a, str>>,
    /// Of `completion/complete`.
    #[serde(borrow, rename = "ref")]
    pub(crate) reference: Option<&'a RawValue>,
    /// Of `completion/complete`.
    #[serde(borrow)]
    pub(crate) argument: Option<&'a RawValue>,
    /// Of `completion/complete`.
    #[serde(borrow)]
    pub(crate) context: Option<&'a RawValue>,
    /// Of `subscriptions/listen`.
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) notifications: Option<&'a RawValue>,
    /// Of `notifications/cancelled`.
    #[serde(borrow)]
    pub(crate) request_id: Option<&'a RawValue>,
    /// Of `notifications/cancelled`.
    #[serde(borrow)]
    pub(crate) reason: Option<&'a RawValue>,
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// The members of a request's `_meta` that the protocol itself reads.
///
/// Specification: basic/index, Per-request protocol fields.
#[derive(Debug, Deserialize)]
pub(crate) struct RequestMeta<'a> {
    #[serde(borrow, rename = "io.modelcontextprotocol/protocolVersion")]
    version: Cow<'a, str>,
    #[serde(rename = "io.modelcontextprotocol/clientInfo")]
    #[expect(
        dead_code,
        reason = "checked here, read from the message when a tool asks"
    )]
    client: Option<ByName<ClientInfo>>,
    #[serde(rename = "io.modelcontextprotocol/clientCapabilities")]
    capabilities: ByName<Declared>,
    #[serde(rename = "io.modelcontextprotocol/logLevel")]
    pub(crate) log_level: Option<LoggingLevel>,
    #[serde(borrow, rename = "progressToken")]
    pub(crate) progress_token: Option<&'a RawValue>,
}

impl RequestMeta<'_> {
    /// The protocol version, as it came.
    #[cfg(feature = "http")]
    pub(crate) fn version(&self) -> &str {
        &self.version
    }
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "only its form is checked")]
struct ClientInfo {
    name: AnyText,
    version: AnyText,
}

/// A string that is there; which one it is, nobody asks, and so it takes no room.
#[derive(Debug)]
struct AnyText;

impl<'de> Deserialize<'de> for AnyText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl Visitor<'_> for Text {
            type Value = AnyText;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_str<E>(self, _: &str) -> Result<AnyText, E> {
                Ok(AnyText)
            }
        }

        deserializer.deserialize_str(Text)
    }
}

#[derive(Debug, Deserialize)]
struct Declared {
    elicitation: Option<ByName<Elicitation>>,
    sampling: Option<ByName<Sampling>>,
    roots: Option<Object>,
}

#[derive(Debug, Deserialize)]
struct Elicitation {
    form: Option<Object>,
    url: Option<Object>,
}

#[derive(Debug, Deserialize)]
struct Sampling {
    tools: Option<Object>,
}

/// Any object.
type Object = ByName<Any>;

#[derive(Debug, Deserialize)]
struct Any {}

impl Declared {
    fn kinds(&self) -> Kinds {
        let (form, url) = match &self.elicitation {
            None => (false, false),
            // A bare object means form mode: client/elicitation, Capabilities.
            Some(ByName(Elicitation { form, url })) => {
                (form.is_some() || url.is_none(), url.is_some())
            }
        };
        Kinds::default()
            .with(Kind::Form, form)
            .with(Kind::Url, url)
            .with(Kind::Sampling, self.sampling.is_some())
            .with(Kind::Roots, self.roots.is_some())
            .with_sampling_tools(self.sampling.as_ref().is_some_and(|s| s.tools.is_some()))
    }
}

/// The kinds that a client's capabilities declare; none where they cannot be read.
pub(crate) fn declared_kinds(capabilities: &str) -> Option<Kinds> {
    let declared: ByName<Declared> = serde_json::from_str(capabilities).ok()?;
    Some(declared.kinds())
}

/// Whether this can stand as `clientInfo` in a request.
pub(crate) fn is_client_info(json: &str) -> bool {
    serde_json::from_str::<ByName<ClientInfo>>(json).is_ok()
}

/// What a request is made with, once its `_meta` has been checked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms {
    pub(crate) revision: Revision,
    pub(crate) kinds: Kinds,
}

impl Params<'_> {
    /// Checks what every request must carry.
    ///
    /// # Errors
    ///
    /// `-32602` where `_meta` is missing, `-32022` where its version is not served.
    pub(crate) fn terms(&self) -> Result<Terms, RpcError> {
        let Some(meta) = &self.meta else {
            return Err(RpcError::invalid_params(legacy::NO_META));
        };
        let Some(revision) = Revision::modern(&meta.version) else {
            return Err(RpcError::unsupported_version(
                &meta.version,
                &Revision::modern_names(),
            ));
        };
        self.check_token()?;
        Ok(Terms {
            revision,
            kinds: meta.capabilities.kinds(),
        })
    }

    /// # Errors
    ///
    /// `-32602` for a progress token that is none.
    pub(crate) fn check_token(&self) -> Result<(), RpcError> {
        let token = self.meta.as_ref().and_then(|meta| meta.progress_token);
        if token.is_none_or(|token| mcp_core::rpc::RawId::new(token).is_some()) {
            return Ok(());
        }
        Err(RpcError::invalid_params(
            "`_meta.progressToken` must be a string or an integer",
        ))
    }
}

/// A member that must be a string.
///
/// # Errors
///
/// `-32602` where it is absent or something else.
pub(crate) fn string<'a>(
    member: Option<&'a RawValue>,
    name: &str,
) -> Result<Cow<'a, str>, RpcError> {
    let Some(raw) = member else {
        return Err(RpcError::invalid_params(format!("`{name}` is missing")));
    };
    text(raw.get()).ok_or_else(|| RpcError::invalid_params(format!("`{name}` must be a string")))
}

/// The text of a JSON string; none of any other value.
fn text(json: &str) -> Option<Cow<'_, str>> {
    optional_str(&mut serde_json::Deserializer::from_str(json)).ok()?
}

/// Says what is wrong with `params` that could not be read.
pub(crate) fn diagnose(params: &RawValue) -> RpcError {
    const NAMES: [&str; 4] = ["name", "uri", "requestState", "_meta"];
    let mut found = [None; NAMES.len()];
    for member in Members::of(params.get()) {
        let twice = member.map(|(key, value)| {
            let at = NAMES.iter().position(|name| *name == key);
            at.is_some_and(|at| found[at].replace(value).is_some())
        });
        if twice != Some(false) {
            return RpcError::invalid_params(
                "`params` must be an object, each member of which stands once",
            );
        }
    }
    let [strings @ .., meta] = found.map(|value| value.filter(|value| *value != "null"));
    for (value, name) in strings.into_iter().zip(NAMES) {
        if value.is_some_and(|value| text(value).is_none()) {
            return RpcError::invalid_params(format!("`{name}` must be a string"));
        }
    }
    let Some(meta) = meta else {
        return RpcError::invalid_params("`params` cannot be read");
    };
    if !meta.starts_with('{') {
        return RpcError::invalid_params("`_meta` must be an object");
    }
    match serde_json::from_str::<ByName<RequestMeta<'_>>>(meta) {
        Err(error) if error.is_data() => unreadable("_meta", &error),
        _ => RpcError::invalid_params("`params` cannot be read"),
    }
}

/// `-32602` for a member that serde could not read.
pub(super) fn unreadable(member: &str, error: &serde_json::Error) -> RpcError {
    // Messages of serde name the member, and never more of the value than its type.
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or_default();
    RpcError::invalid_params(format!("`{member}`: {text}"))
}

/// A request's message, kept for as long as it is being answered.
#[derive(Debug)]
pub(crate) struct Received {
    /// The whole line.
    line: Box<str>,
    arguments: Option<Span>,
    responses: Option<Span>,
    /// Where the answers stand in them.
    answers: Vec<Place>,
    /// Whether it carries answers or a state.
    pub(crate) is_retry: bool,
    /// What the request addresses, where that is not the name of a function.
    pub(crate) address: Option<Box<str>>,
    pub(crate) revision: Revision,
    pub(crate) kinds: Kinds,
    /// The answers of later rounds, where those are on the same request.
    later: crate::legacy::Later,
}

/// A JSON object; an empty one where there is none.
fn object(json: Option<&str>) -> Map<String, Value> {
    json.and_then(|json| serde_json::from_str(json).ok())
        .unwrap_or_default()
}

/// A part of the line.
#[derive(Debug, Clone, Copy)]
struct Span {
    start: usize,
    end: usize,
}

impl Span {
    /// Where `part`, which was borrowed from `line`, stands in it.
    fn of(line: &str, part: &RawValue) -> Self {
        let start = part.get().as_ptr().addr() - line.as_ptr().addr();
        Self {
            start,
            end: start + part.get().len(),
        }
    }
}

impl Received {
    /// Keeps the message; `params` must have been read from this very line.
    ///
    /// # Errors
    ///
    /// `-32602` where `inputResponses` is malformed.
    pub(crate) fn new(line: &str, params: &Params<'_>, terms: Terms) -> Result<Self, RpcError> {
        let span = |part: Option<&RawValue>| part.map(|part| Span::of(line, part));
        let answers = match params.input_responses {
            Some(responses) => InputResponses::find(responses.get())?,
            None => Vec::new(),
        };
        Ok(Self {
            answers,
            arguments: span(params.arguments),
            responses: span(params.input_responses),
            is_retry: params.input_responses.is_some() || params.request_state.is_some(),
            address: None,
            line: line.into(),
            revision: terms.revision,
            kinds: terms.kinds,
            later: Default::default(),
        })
    }

    /// Puts the answers of a later round in the place of those before.
    pub(crate) fn add(&self, answers: crate::legacy::Answers) {
        self.later.add(answers);
    }

    /// How long the message is, in bytes.
    pub(crate) fn len(&self) -> usize {
        if self.revision.is_legacy() {
            return self.line.len() - legacy::added(&self.line) + self.later.len();
        }
        self.line.len()
    }

    /// The arguments; absent ones equal an empty object.
    pub(crate) fn arguments(&self) -> &str {
        self.arguments.map_or("{}", |span| self.part(span))
    }

    /// The arguments as far as there are any.
    pub(crate) fn given_arguments(&self) -> Option<&str> {
        self.arguments.map(|span| self.part(span))
    }

    pub(crate) fn responses(&self) -> InputResponses<'_> {
        if let Some(answers) = self.later.last() {
            return answers.as_responses();
        }
        self.responses.map_or_else(InputResponses::none, |span| {
            InputResponses::at(self.part(span), &self.answers)
        })
    }

    pub(crate) fn meta(&self) -> Meta {
        let params = member(&self.line, "params");
        object(params.and_then(|params| member(params, "_meta")))
    }

    /// The whole of `params` but its `_meta`.
    pub(crate) fn params(&self) -> Value {
        let mut params = object(member(&self.line, "params"));
        params.remove("_meta");
        Value::Object(params)
    }

    fn part(&self, span: Span) -> &str {
        &self.line[span.start..span.end]
    }
}
