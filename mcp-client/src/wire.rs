//! What a message from the server is, and which request it answers.
//!
//! The bodies stay raw. A body is parsed once, into its final type, by whoever asked for it, so
//! nothing is lost on the way: integers of any size, the order of keys, the spelling of a string.

use mcp_core::rpc::{self, Fault, Message, RawId, RequestId, RpcError};
use serde_json::value::RawValue;

use crate::transport::Failure;

/// One message from the server.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// An answer. `id` is `None` when the id is not one that this client can have given out.
    Response { id: Option<u64>, reply: Reply },
    /// A notification, whatever its method.
    Notification {
        method: String,
        params: Option<Box<RawValue>>,
    },
    /// A request, which only servers of revisions with a handshake may send.
    Request {
        id: RequestId,
        method: String,
        params: Option<Box<RawValue>>,
    },
}

/// How a request ended.
#[derive(Debug)]
pub(crate) enum Reply {
    Result(Box<RawValue>),
    Error(RpcError),
    /// The id was readable and the rest was not: the call fails instead of waiting for ever.
    Malformed(String),
    /// The server takes a request that stays open back.
    Cancelled,
    /// The answer was longer than the transport takes.
    TooLong {
        limit: usize,
    },
    /// There is none, and will be none.
    Failed(Failure),
}

/// Reads one message; the error says why the bytes are none.
pub(crate) fn parse(bytes: &[u8]) -> Result<Incoming, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
    match rpc::parse_raw(text) {
        Ok(Message::Request { id, method, params }) => Ok(Incoming::Request {
            id: id.to_id(),
            method: method.into_owned(),
            params: params.map(ToOwned::to_owned),
        }),
        Ok(Message::Notification { method, params }) => Ok(Incoming::Notification {
            method: method.into_owned(),
            params: params.map(ToOwned::to_owned),
        }),
        Ok(Message::Response { id, outcome }) => Ok(Incoming::Response {
            id: id.and_then(own_id),
            reply: match outcome {
                Ok(result) => result_reply(result),
                Err(error) => error_reply(error),
            },
        }),
        // Servers count their requests from 1 as well.
        Err(Fault::Message { error, .. }) if has_method(text) => Err(error.message.into_owned()),
        Err(Fault::Message { id: Some(id), .. }) => Ok(Incoming::Response {
            id: own_id(id),
            reply: Reply::Malformed("it is not a well-formed JSON-RPC response".to_owned()),
        }),
        Err(Fault::Message { id: None, error }) => Err(error.message.into_owned()),
        Err(Fault::Params { .. }) => Err("its params are not JSON".to_owned()),
    }
}

/// Reads what came back for the request with this id, on a transport that ties the two together. A
/// server that could not read the id answers with an error under none, or under one of its own.
pub(crate) fn parse_answer(bytes: &[u8], to: u64) -> Reply {
    match parse(bytes) {
        Ok(Incoming::Response {
            reply: reply @ Reply::Error(_),
            ..
        }) => reply,
        Ok(Incoming::Response { id, reply }) if id == Some(to) => reply,
        Ok(Incoming::Response { .. }) => {
            Reply::Malformed("it has the id of another request".to_owned())
        }
        Ok(Incoming::Notification { .. } | Incoming::Request { .. }) => {
            Reply::Malformed("it is no response".to_owned())
        }
        Err(reason) => Reply::Malformed(reason),
    }
}

fn result_reply(result: &RawValue) -> Reply {
    if result.get().starts_with('{') {
        Reply::Result(result.to_owned())
    } else {
        Reply::Malformed("its result is not an object".to_owned())
    }
}

fn error_reply(error: &RawValue) -> Reply {
    match serde_json::from_str(error.get()) {
        Ok(error) => Reply::Error(error),
        Err(e) => Reply::Malformed(format!("its error is not a JSON-RPC error: {e}")),
    }
}

/// Whether what is no message would have been a request or notification.
fn has_method(text: &str) -> bool {
    #[derive(serde::Deserialize)]
    struct Members {
        #[serde(rename = "method")]
        _method: serde::de::IgnoredAny,
    }
    serde_json::from_str::<Members>(text).is_ok()
}

/// This client's ids are positive integers: `"7"` is never one of them.
fn own_id(id: RawId<'_>) -> Option<u64> {
    id.as_json().parse().ok()
}

/// Finds the `id` of an answer that is too long to keep, in one pass over its bytes.
///
/// Motivation: the caller of an over-long answer must learn which limit it hit. The id may stand
/// before or after the result, so the scan follows the nesting and keeps a few bytes only. A request's id
/// is the server's own.
#[derive(Debug, Default)]
pub(crate) struct IdScan {
    depth: usize,
    in_string: bool,
    escaped: bool,
    expects_key: bool,
    key: Vec<u8>,
    value: Option<Vec<u8>>,
    found: Option<u64>,
    is_request: bool,
}

impl IdScan {
    /// Longer than any number of 64 bits and than the key looked for.
    const KEEP: usize = 24;

    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.step(byte);
        }
    }

    pub(crate) fn id(&self) -> Option<u64> {
        self.found.filter(|_| !self.is_request)
    }

    fn step(&mut self, byte: u8) {
        if self.in_string {
            self.step_in_string(byte);
            return;
        }
        match byte {
            b'"' => {
                self.in_string = true;
                if self.depth == 1 && self.expects_key {
                    self.key.clear();
                } else {
                    self.keep(byte);
                }
            }
            b'{' | b'[' => {
                self.depth += 1;
                self.expects_key = self.depth == 1 && byte == b'{';
                self.value = None;
            }
            b'}' | b']' => {
                self.end_value();
                self.depth = self.depth.saturating_sub(1);
            }
            b',' if self.depth == 1 => {
                self.end_value();
                self.expects_key = true;
            }
            b':' if self.depth == 1 => {
                self.expects_key = false;
                self.is_request |= self.key == b"method";
                self.value = (self.key == b"id").then(Vec::new);
            }
            byte if byte.is_ascii_whitespace() => {}
            byte => self.keep(byte),
        }
    }

    fn step_in_string(&mut self, byte: u8) {
        if self.escaped {
            self.escaped = false;
        } else if byte == b'\\' {
            self.escaped = true;
        } else if byte == b'"' {
            self.in_string = false;
        }
        if self.depth == 1 && self.expects_key {
            if self.in_string && self.key.len() < Self::KEEP {
                self.key.push(byte);
            }
        } else {
            self.keep(byte);
        }
    }

    fn keep(&mut self, byte: u8) {
        if let Some(value) = &mut self.value
            && value.len() < Self::KEEP
        {
            value.push(byte);
        }
    }

    fn end_value(&mut self) {
        if self.depth != 1 {
            return;
        }
        if let Some(value) = self.value.take() {
            self.found = std::str::from_utf8(&value)
                .ok()
                .and_then(|text| text.parse().ok());
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn response(text: &str) -> (Option<u64>, Reply) {
        match parse(text.as_bytes()).unwrap() {
            Incoming::Response { id, reply } => (id, reply),
            other => panic!("not a response: {other:?}"),
        }
    }

    #[test]
    fn ids_of_another_type_are_not_ours() {
        for (text, expected) in [
            (r#"{"jsonrpc":"2.0","id":7,"result":{}}"#, Some(7)),
            (r#"{"jsonrpc":"2.0","id":"7","result":{}}"#, None),
            (r#"{"jsonrpc":"2.0","id":-7,"result":{}}"#, None),
            (
                r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}"#,
                None,
            ),
            (
                r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"m"}}"#,
                None,
            ),
        ] {
            assert_eq!(response(text).0, expected, "{text}");
        }
    }

    #[test]
    fn a_readable_id_survives_a_broken_rest() {
        for text in [
            r#"{"jsonrpc":"2.0","id":7,"result":null}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":[]}"#,
            r#"{"jsonrpc":"2.0","id":7,"error":5}"#,
            r#"{"jsonrpc":"2.0","id":7,"error":{"code":"x","message":"m"}}"#,
            r#"{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"m"},"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":7}"#,
            r#"{"id":7,"result":{}}"#,
        ] {
            let (id, reply) = response(text);
            assert_eq!(id, Some(7), "{text}");
            assert!(matches!(reply, Reply::Malformed(_)), "{text}: {reply:?}");
        }
    }

    #[test]
    fn what_comes_back_for_a_request_ends_it() {
        let answer = |text: &str| parse_answer(text.as_bytes(), 7);
        let result = r#"{"jsonrpc":"2.0","id":7,"result":{}}"#;
        assert!(matches!(answer(result), Reply::Result(_)));
        for id in ["7", "8", "null", "\"server-error\""] {
            let error =
                format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32020,"message":"m"}}}}"#);
            assert!(
                matches!(answer(&error), Reply::Error(e) if e.code == -32020),
                "{id}"
            );
        }
        for wrong in [
            r#"{"jsonrpc":"2.0","id":8,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":"7","result":{}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/progress"}"#,
            r#"[{"jsonrpc":"2.0","id":7,"result":{}}]"#,
            "<html>",
            "",
        ] {
            assert!(matches!(answer(wrong), Reply::Malformed(_)), "{wrong}");
        }
    }

    #[test]
    fn what_is_no_message_is_refused() {
        for text in [
            "starting v1…",
            "",
            "5",
            "[]",
            "{}",
            "null",
            r#"{"jsonrpc":"2.0","method":5}"#,
            r#"{"jsonrpc":"2.0","id":7.0,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":7e0,"result":{}}"#,
        ] {
            assert!(parse(text.as_bytes()).is_err(), "{text}");
        }
        assert!(parse(b"{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}").is_err());
    }

    #[test]
    fn a_batch_is_refused() {
        let text = r#"[{"jsonrpc":"2.0","id":7,"result":{}}]"#;
        assert!(parse(text.as_bytes()).is_err());
    }

    #[test]
    fn results_stay_as_written() {
        let body = r#"{"big":123456789012345678901234567890,"text":"\u2028 \ud800"}"#;
        let (_, reply) = response(&format!(r#"{{"jsonrpc":"2.0","id":7,"result":{body}}}"#));
        let Reply::Result(raw) = reply else {
            panic!("{reply:?}")
        };
        assert_eq!(raw.get(), body);
    }

    #[test]
    fn deep_nesting_does_not_overflow_the_stack() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let (id, _) = response(&format!(
            r#"{{"jsonrpc":"2.0","id":7,"result":{{"x":{deep}}}}}"#
        ));
        assert_eq!(id, Some(7));
    }

    #[test]
    fn the_scan_finds_the_id_wherever_it_stands() {
        for (text, expected) in [
            (
                r#"{"jsonrpc":"2.0","id":12,"result":{"id":5,"x":"}"}}"#,
                Some(12),
            ),
            (
                r#"{"jsonrpc":"2.0","result":{"id":5,"t":"\"id\":6,{"},"id" : 12 }"#,
                Some(12),
            ),
            (r#"{"id":"12","result":{}}"#, None),
            (r#"{"result":{"id":5}}"#, None),
            (r#"{"method":"id","params":{}}"#, None),
            (r#"{"id":{"id":5}}"#, None),
            (r#"{"id":5,"method":"x","params":{}}"#, None),
            (r#"{"params":{},"method" : "x","id":5}"#, None),
            (r#"{"id":5,"result":{"method":"x"}}"#, Some(5)),
        ] {
            let mut scan = IdScan::default();
            for chunk in text.as_bytes().chunks(3) {
                scan.feed(chunk);
            }
            assert_eq!(scan.id(), expected, "{text}");
        }
    }
}
