//! Multi round-trip requests: what a server asks in the middle of a request, and what the client answers.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};

use super::result::AlwaysInputRequired;
use super::wire::{from_variants, serialize_content};
use super::{
    CreateMessageRequest, CreateMessageResult, ElicitRequest, ElicitResult, JsonObject,
    ListRootsRequest, ListRootsResult, Meta, RawJson,
};

/// The questions of one round by key. The server chooses the keys.
pub type InputRequests = BTreeMap<String, InputRequest>;

/// The answers of one round, under the keys of their questions.
pub type InputResponses = BTreeMap<String, InputResponse>;

/// One question of the server, which its `method` tells apart.
///
/// Specification: basic/patterns/mrtr, Input Requests.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "method")]
#[non_exhaustive]
pub enum InputRequest {
    /// Ask the user.
    #[serde(rename = "elicitation/create")]
    Elicit(ElicitRequest),
    /// Sample from a language model.
    #[serde(rename = "sampling/createMessage")]
    CreateMessage(Box<CreateMessageRequest>),
    /// List roots.
    #[serde(rename = "roots/list")]
    ListRoots(ListRootsRequest),
}

serialize_content!(InputRequest {
    Elicit,
    CreateMessage,
    ListRoots
});
from_variants!(InputRequest { Elicit(ElicitRequest), ListRoots(ListRootsRequest) });

impl From<CreateMessageRequest> for InputRequest {
    fn from(request: CreateMessageRequest) -> Self {
        Self::CreateMessage(Box::new(request))
    }
}

impl InputRequest {
    /// The method's name.
    #[must_use]
    pub fn method(&self) -> &'static str {
        match self {
            Self::Elicit(_) => "elicitation/create",
            Self::CreateMessage(_) => "sampling/createMessage",
            Self::ListRoots(_) => "roots/list",
        }
    }
}

/// What the client answered to one question, as raw JSON.
///
/// # Motivation
///
/// Nothing in an answer says to what kind of question it belongs. Guessing would take one kind for another, so
/// the answer stays raw until somebody who knows the question reads it. It is always an object.
///
/// Specification: basic/patterns/mrtr, Input Responses.
///
/// ```
/// use mcp_core::protocol::{ElicitAction, InputResponse};
///
/// let answer: InputResponse = serde_json::from_str(r#"{"action":"decline"}"#)?;
/// assert_eq!(answer.as_elicit()?.action, ElicitAction::Decline);
/// assert!(answer.as_roots().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct InputResponse(RawJson);

// What reads and writes whole results is inlined: the types are large, and few programs need it.
impl InputResponse {
    /// Takes a raw answer.
    ///
    /// # Errors
    ///
    /// It is not an object; it is given back.
    pub fn new(raw: RawJson) -> Result<Self, RawJson> {
        if raw.is_object() {
            Ok(Self(raw))
        } else {
            Err(raw)
        }
    }

    /// The answer as it came.
    #[must_use]
    pub fn as_json(&self) -> &RawJson {
        &self.0
    }

    /// Reads the answer to an `elicitation/create`.
    ///
    /// # Errors
    ///
    /// The answer is not of that kind.
    #[inline]
    pub fn as_elicit(&self) -> Result<ElicitResult, WrongInputResponse> {
        self.read("elicitation/create")
    }

    /// Reads the answer to a `sampling/createMessage`.
    ///
    /// # Errors
    ///
    /// The answer is not of that kind.
    #[inline]
    pub fn as_sampling(&self) -> Result<CreateMessageResult, WrongInputResponse> {
        self.read("sampling/createMessage")
    }

    /// Reads the answer to a `roots/list`.
    ///
    /// # Errors
    ///
    /// The answer is not of that kind.
    #[inline]
    pub fn as_roots(&self) -> Result<ListRootsResult, WrongInputResponse> {
        self.read("roots/list")
    }

    fn read<'a, T: Deserialize<'a>>(
        &'a self,
        method: &'static str,
    ) -> Result<T, WrongInputResponse> {
        self.0
            .parse()
            .map_err(|source| WrongInputResponse { method, source })
    }
}

impl<'de> Deserialize<'de> for InputResponse {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(RawJson::deserialize(deserializer)?)
            .map_err(|_| D::Error::custom("an input response must be a JSON object"))
    }
}

macro_rules! from_results {
    ($($result:ty),+) => {$(
        impl From<&$result> for InputResponse {
            #[inline]
            fn from(result: &$result) -> Self {
                Self(RawJson::from_serialize(result).expect("its members all have a JSON form"))
            }
        }
    )+};
}

from_results!(ElicitResult, CreateMessageResult, ListRootsResult);

/// An answer that is none to the question that was asked.
#[derive(Debug)]
pub struct WrongInputResponse {
    /// The method of the question.
    pub method: &'static str,
    source: serde_json::Error,
}

impl fmt::Display for WrongInputResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the input response is not a result of `{}`: {}",
            self.method, self.source
        )
    }
}

impl std::error::Error for WrongInputResponse {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

/// The client is to answer these questions, if any, and to send the request again with the state, if any.
/// One of the two must be there.
///
/// Specification: basic/patterns/mrtr, Input Required Results.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InputRequiredResult {
    /// Always `input_required`.
    pub result_type: AlwaysInputRequired,
    /// The questions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_requests: Option<InputRequests>,
    /// What the client must send back unchanged. It means nothing to the client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_state: Option<String>,
    /// Metadata.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Members that this revision does not define.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl InputRequiredResult {
    /// One question, without state.
    #[must_use]
    pub fn ask(key: impl Into<String>, request: impl Into<InputRequest>) -> Self {
        Self::default().and_ask(key, request)
    }

    /// One question more.
    #[must_use]
    pub fn and_ask(mut self, key: impl Into<String>, request: impl Into<InputRequest>) -> Self {
        self.input_requests
            .get_or_insert_default()
            .insert(key.into(), request.into());
        self
    }

    /// The same with this state.
    #[must_use]
    pub fn with_state(mut self, state: impl Into<String>) -> Self {
        self.request_state = Some(state.into());
        self
    }

    /// Whether it has neither questions nor state, which the specification forbids.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.input_requests.is_none() && self.request_state.is_none()
    }
}
