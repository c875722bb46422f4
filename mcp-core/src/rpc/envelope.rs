//! The JSON-RPC envelope: one message, borrowed from the line that holds it.
//!
//! The caller reads `params`, so that a server may have the members that its methods share read in
//! the same pass. Where that fails, [`parse`] goes over the line a second time, slowly, to find out
//! what is wrong and whom to tell.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::{Malformed, RequestId, RpcError, Scan};

/// The members of a message; those that may be `null` are none then.
#[derive(Debug)]
struct Envelope<'a, P> {
    jsonrpc: Option<Cow<'a, str>>,
    id: Option<&'a str>,
    method: Option<Cow<'a, str>>,
    params: Option<P>,
    result: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
}

impl<'a, P> Envelope<'a, P> {
    #[inline]
    fn read(
        line: &'a str,
        read_params: impl Fn(&mut Scan<'a>) -> Result<P, Malformed>,
    ) -> Result<Self, Malformed> {
        let (mut jsonrpc, mut id, mut method) = (None, None, None);
        let (mut params, mut result, mut error) = (None, None, None);
        Scan::whole(line, |scan| {
            scan.object(|scan, key| match key {
                "jsonrpc" => scan.fill(&mut jsonrpc, |scan| scan.optional(Scan::string)),
                "id" => scan.fill(&mut id, Scan::raw),
                "method" => scan.fill(&mut method, |scan| scan.optional(Scan::string)),
                "params" => scan.fill(&mut params, |scan| scan.optional(&read_params)),
                "result" => scan.fill(&mut result, |scan| scan.optional(Scan::raw_value)),
                "error" => scan.fill(&mut error, |scan| scan.optional(Scan::raw_value)),
                _ => scan.skip(),
            })
        })?;
        Ok(Self {
            jsonrpc: jsonrpc.flatten(),
            id,
            method: method.flatten(),
            params: params.flatten(),
            result: result.flatten(),
            error: error.flatten(),
        })
    }

    /// The message; none where it is not one.
    #[inline]
    fn message(self) -> Option<Message<'a, P>> {
        let params = self.params;
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

/// A request's id as its JSON text: what an answer repeats byte for byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RawId<'a>(&'a str);

impl<'a> RawId<'a> {
    /// Takes the JSON text of a string or an integer; any other value is no id, and neither is a string with an escape
    /// that is no Unicode character.
    ///
    /// Specification: basic/index, Requests.
    #[inline]
    pub fn new(text: &'a str) -> Option<Self> {
        let bytes = text.as_bytes();
        let digits = match bytes {
            // Blanks behind it would be echoed.
            [b'"', .., b'"'] => {
                return Scan::whole(text, Scan::string).ok().map(|_| Self(text));
            }
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
                Scan::whole(self.0, Scan::string)
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

/// Reads one message; `read_params` reads its `params`, which may be any value but `null`.
///
/// # Errors
///
/// [`Fault::Message`] where the line is no JSON-RPC message, [`Fault::Params`] where only the
/// parameters are off.
///
/// ```
/// use mcp_core::rpc::{Message, Scan, parse};
///
/// let line = r#"{"jsonrpc":"2.0","id":7,"method":"server/discover","params":{}}"#;
/// let Ok(Message::Request { id, method, .. }) = parse(line, Scan::raw) else { panic!() };
/// assert_eq!((id.as_json(), &*method), ("7", "server/discover"));
/// ```
#[inline]
pub fn parse<'a, P>(
    line: &'a str,
    read_params: impl Fn(&mut Scan<'a>) -> Result<P, Malformed>,
) -> Result<Message<'a, P>, Fault<'a>> {
    let envelope = Envelope::read(line, read_params).ok();
    let message = envelope.and_then(Envelope::message);
    message.ok_or_else(|| diagnose(line))
}

/// Reads one message, and leaves its `params` as they are: [`parse`], compiled here for whoever wants no more.
///
/// # Errors
///
/// [`Fault::Message`] where the line is no JSON-RPC message.
pub fn parse_raw(line: &str) -> Result<Message<'_, &RawValue>, Fault<'_>> {
    parse(line, Scan::raw_value)
}

/// The members that say whom to tell what, each as it came.
#[derive(Default)]
struct Members<'a> {
    jsonrpc: Option<&'a str>,
    id: Option<&'a str>,
    method: Option<&'a str>,
    params: Option<&'a RawValue>,
}

impl<'a> Members<'a> {
    fn read(line: &'a str) -> Result<Self, Malformed> {
        let mut members = Self::default();
        Scan::new(line).object(|scan, key| match key {
            "jsonrpc" => scan.fill(&mut members.jsonrpc, Scan::raw),
            "id" => scan.fill(&mut members.id, Scan::raw),
            "method" => scan.fill(&mut members.method, Scan::raw),
            "params" => scan.fill(&mut members.params, Scan::raw_value),
            _ => scan.skip(),
        })?;
        Ok(members)
    }
}

/// Finds out why a line was refused.
#[cold]
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
    let Ok(members) = Members::read(line) else {
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
    if members.jsonrpc != Some(r#""2.0""#) {
        let text = r#"`jsonrpc` must be "2.0""#;
        return message(id, RpcError::invalid_request(text));
    }
    let method = members
        .method
        .and_then(|json| Scan::new(json).string().ok());
    match (method, members.params) {
        (Some(method), Some(params)) => Fault::Params { id, method, params },
        _ => message(id, RpcError::invalid_request("`method` must be a string")),
    }
}

#[cfg(test)]
mod tests;
