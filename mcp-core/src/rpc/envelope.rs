//! The JSON-RPC envelope: one message, borrowed from the line that holds it.
//!
//! The envelope is generic over its `params`, so that a server may have the members that its
//! methods share decoded in the same pass. Where that fails, [`parse`] goes over the line a second
//! time, slowly, to find out what is wrong and whom to tell.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{ByName, RequestId, RpcError, id::unescaped, optional_str};

/// A message as it stands on the wire.
#[derive(Debug, Deserialize)]
struct Envelope<'a, P> {
    #[serde(borrow, default, deserialize_with = "optional_str")]
    jsonrpc: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "optional_str")]
    method: Option<Cow<'a, str>>,
    params: Option<ByName<P>>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

/// Keeps `null` apart from an absent member.
fn present<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(d).map(Some)
}

/// A request's id as its JSON text: what an answer repeats byte for byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RawId<'a>(&'a str);

impl<'a> RawId<'a> {
    /// Takes a string or an integer; anything else is no id, and neither is a string with an escape
    /// that is no Unicode character.
    ///
    /// Specification: basic/index, Requests.
    #[inline]
    pub fn new(raw: &'a RawValue) -> Option<Self> {
        let text = raw.get();
        let bytes = text.as_bytes();
        let digits = match bytes {
            [b'"', ..] => return unescaped(text).map(|_| Self(text)),
            [b'-', digits @ ..] => digits,
            digits => digits,
        };
        // An integer of more digits than fit would be echoed, but could not be told apart.
        let integer = digits.len() <= 38 && digits.iter().all(u8::is_ascii_digit);
        (integer && !digits.is_empty()).then_some(Self(text))
    }

    /// The id's JSON text.
    #[inline]
    pub fn as_json(self) -> &'a str {
        self.0
    }

    /// The id as a value that can be kept and compared.
    pub fn to_id(self) -> RequestId {
        match self.0.parse() {
            Ok(integer) => RequestId::Integer(integer),
            Err(_) => RequestId::String(
                unescaped(self.0)
                    .expect("checked when it was made: a string of Unicode characters")
                    .into_owned(),
            ),
        }
    }
}

/// One well-formed message.
#[derive(Debug)]
pub enum Message<'a, P> {
    /// Asks for an answer.
    Request {
        /// What the answer repeats.
        id: RawId<'a>,
        /// The method's name.
        method: Cow<'a, str>,
        /// The parameters; `None` where the member is absent or `null`.
        params: Option<P>,
    },
    /// Wants no answer.
    Notification {
        /// The method's name.
        method: Cow<'a, str>,
        /// The parameters; `None` where the member is absent or `null`.
        params: Option<P>,
    },
    /// Answers a request of ours.
    Response {
        /// The request's id; `None` in an error about a message that had no readable one.
        id: Option<RawId<'a>>,
        /// The result, or the error object as raw JSON.
        outcome: Result<&'a RawValue, &'a RawValue>,
    },
}

/// Why a line is not a message that can be handled.
#[derive(Debug)]
pub enum Fault<'a> {
    /// Not a JSON-RPC message. The error is to be answered, with the id where one could be read.
    Message {
        /// The id, where one could be read.
        id: Option<RawId<'a>>,
        /// What to answer.
        error: RpcError,
    },
    /// A request or notification whose `params` do not have the expected form.
    Params {
        /// The id; `None` for a notification.
        id: Option<RawId<'a>>,
        /// The method's name.
        method: Cow<'a, str>,
        /// The parameters as they came.
        params: &'a RawValue,
    },
}

/// Reads one message.
///
/// # Errors
///
/// [`Fault::Message`] where the line is no JSON-RPC message, [`Fault::Params`] where only the
/// parameters are off.
///
/// ```
/// use mcp_core::rpc::{Message, parse};
/// use serde_json::value::RawValue;
///
/// let line = r#"{"jsonrpc":"2.0","id":7,"method":"server/discover","params":{}}"#;
/// let Ok(Message::Request { id, method, .. }) = parse::<&RawValue>(line) else { panic!() };
/// assert_eq!((id.as_json(), &*method), ("7", "server/discover"));
/// ```
pub fn parse<'a, P: Deserialize<'a>>(line: &'a str) -> Result<Message<'a, P>, Fault<'a>> {
    let envelope = serde_json::from_str::<ByName<Envelope<'a, P>>>(line);
    let message = envelope
        .ok()
        .and_then(|ByName(envelope)| envelope.message());
    message.ok_or_else(|| diagnose(line))
}

/// Reads one message, and leaves its `params` as they are: [`parse`], compiled here for whoever wants no more.
///
/// # Errors
///
/// [`Fault::Message`] where the line is no JSON-RPC message.
pub fn parse_raw(line: &str) -> Result<Message<'_, &RawValue>, Fault<'_>> {
    parse(line)
}

impl<'a, P> Envelope<'a, P> {
    /// The message; none where it is not one.
    #[inline]
    fn message(self) -> Option<Message<'a, P>> {
        let params = self.params.map(|ByName(params)| params);
        if self.jsonrpc.as_deref() != Some("2.0") {
            return None;
        }
        match (self.id, self.method) {
            (Some(id), Some(method)) => {
                let id = RawId::new(id)?;
                Some(Message::Request { id, method, params })
            }
            (None, Some(method)) => Some(Message::Notification { method, params }),
            (id, None) => {
                let id = match id.map(RawId::new) {
                    None => None,
                    Some(Some(id)) => Some(id),
                    // An error about an unreadable request: older peers write a `null` id.
                    Some(None) if self.error.is_some() => None,
                    Some(None) => return None,
                };
                let outcome = match (id, self.result, self.error) {
                    (Some(_), Some(result), None) => Ok(result),
                    (_, None, Some(error)) => Err(error),
                    _ => return None,
                };
                Some(Message::Response { id, outcome })
            }
        }
    }
}

/// The members of a message, each as it came.
#[derive(Deserialize)]
struct Members<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    method: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    params: Option<&'a RawValue>,
}

/// Finds out why a line was refused.
fn diagnose(line: &str) -> Fault<'_> {
    let message = |id, error| Fault::Message { id, error };
    match serde_json::from_str::<&RawValue>(line) {
        // Only the position: the text of a message may be a secret.
        Err(e) => {
            let text = format!("the message is not JSON (at byte {})", e.column());
            return message(None, RpcError::parse_error(text));
        }
        Ok(raw) if raw.get().starts_with('[') => {
            let text = "batches are not served; send one message at a time";
            return message(None, RpcError::invalid_request(text));
        }
        Ok(raw) if !raw.get().starts_with('{') => {
            let text = "a message is a JSON object";
            return message(None, RpcError::invalid_request(text));
        }
        Ok(_) => {}
    }
    let Ok(ByName(members)) = serde_json::from_str::<ByName<Members<'_>>>(line) else {
        let text = "a member of the message stands twice";
        return message(None, RpcError::invalid_request(text));
    };
    let id = match members.id.map(RawId::new) {
        None => None,
        Some(Some(id)) => Some(id),
        Some(None) => {
            let text = "`id` must be a string of Unicode characters or an integer";
            return message(None, RpcError::invalid_request(text));
        }
    };
    if members.jsonrpc.is_none_or(|v| v.get() != r#""2.0""#) {
        let text = r#"`jsonrpc` must be "2.0""#;
        return message(id, RpcError::invalid_request(text));
    }
    let method = members
        .method
        .and_then(|raw| serde_json::from_str::<Cow<'_, str>>(raw.get()).ok());
    match (method, members.params) {
        (Some(method), Some(params)) => Fault::Params { id, method, params },
        _ => message(id, RpcError::invalid_request("`method` must be a string")),
    }
}

#[cfg(test)]
mod tests;
