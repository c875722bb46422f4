//! Makes a request of today of what an earlier client has sent.

use std::ops::Range;

use mcp_core::{
    protocol::meta::key,
    rpc::{RawId, RpcError, write_str},
};
use serde_json::value::RawValue;

use super::session::Session;
use crate::parameters::{Members, member};

/// What a request says of itself today, and the session says for it.
const OURS: [&str; 4] = [
    key::PROTOCOL_VERSION,
    key::CLIENT_CAPABILITIES,
    key::CLIENT_INFO,
    key::LOG_LEVEL,
];

/// Members that the earlier revisions do not have: the rounds of a call run here.
const ROUNDS: [&str; 2] = ["inputResponses", "requestState"];

impl Session {
    /// The whole message as a client of today would send it, and where its parameters stand in it.
    ///
    /// # Errors
    ///
    /// `-32602` where the parameters are no object.
    pub(super) fn upgrade(
        &self,
        id: RawId<'_>,
        method: &str,
        params: Option<&RawValue>,
    ) -> Result<(String, Range<usize>), RpcError> {
        let params = params.map_or("{}", RawValue::get);
        let meta = self.meta.unclosed();
        let mut out = Vec::with_capacity(params.len() + meta.len() + 128);
        put(&mut out, r#"{"jsonrpc":"2.0","id":"#);
        put(&mut out, id.as_json());
        put(&mut out, r#","method":"#);
        write_str(&mut out, method);
        put(&mut out, r#","params":"#);
        let start = out.len();
        put(&mut out, r#"{"_meta":"#);
        put(&mut out, meta);
        push(&mut out, key::LOG_LEVEL, &self.level());
        let mut others = Vec::new();
        let mut has_meta = false;
        for member in Members::of(params) {
            let (name, value) = member.ok_or_else(unfit)?;
            if name != "_meta" {
                if !ROUNDS.contains(&&*name) {
                    push(&mut others, &name, value);
                }
                continue;
            }
            if std::mem::replace(&mut has_meta, true) {
                return Err(unfit());
            }
            if value == "null" {
                continue;
            }
            for member in Members::of(value) {
                let (name, value) = member.ok_or_else(unfit)?;
                if !OURS.contains(&&*name) {
                    push(&mut out, &name, value);
                }
            }
        }
        out.push(b'}');
        out.append(&mut others);
        put(&mut out, "}}");
        let line = String::from_utf8(out).map_err(|_| unfit())?;
        let end = line.len() - 1;
        Ok((line, start..end))
    }
}

#[cold]
fn unfit() -> RpcError {
    RpcError::invalid_params(
        "`params` and its `_meta` must be objects, each member of which stands once",
    )
}

/// How much of a message the session has said for it, in bytes.
pub(crate) fn added(line: &str) -> usize {
    let params = member(line, "params").unwrap_or_default();
    let meta = member(params, "_meta").unwrap_or_default();
    let mut added = 0;
    for member in Members::of(meta) {
        let Some((name, value)) = member else {
            break;
        };
        if OURS.contains(&&*name) {
            // The quotes, the colon and the comma.
            added += name.len() + value.len() + 4;
        }
    }
    added
}

#[inline(never)]
fn push(out: &mut Vec<u8>, name: &str, json: &str) {
    put(out, ",");
    write_str(out, name);
    put(out, ":");
    put(out, json);
}

#[inline(never)]
fn put(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::Arc;

    use mcp_core::Revision;
    use serde_json::{Value, json};

    use super::*;
    use crate::{asking::Kinds, reporter::Outgoing};

    struct Nowhere;

    impl Outgoing for Nowhere {
        fn send(&self, _: u64, _: Vec<u8>) {}
    }

    fn upgrade(params: &str) -> Result<String, RpcError> {
        let session = Session::new(
            Revision::V2025_06_18,
            Kinds::default(),
            r#"{"roots":{}}"#,
            Some(r#"{"name":"old","version":"1"}"#),
            Arc::new(Nowhere),
        );
        let params: &RawValue = serde_json::from_str(params).unwrap();
        let (line, place) =
            session.upgrade(RawId::new("7").unwrap(), "tools/call", Some(params))?;
        let message: Value = serde_json::from_str(&line).unwrap();
        let params: Value = serde_json::from_str(&line[place]).unwrap();
        assert_eq!(message["params"], params);
        Ok(line)
    }

    #[test]
    fn the_session_says_what_a_request_says_today() {
        let line = upgrade(
            r#"{"name":"a\"b", "arguments":{ "n": 1.50, "_meta": 1 },"_meta":{"progressToken":"p","x.y/z":[1],
               "io.modelcontextprotocol/logLevel":"debug"},"requestState":"s","inputResponses":{},"task":{}}"#,
        )
        .unwrap();
        let message: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(
            message,
            json!({
                "jsonrpc": "2.0", "id": 7, "method": "tools/call",
                "params": {
                    "name": "a\"b",
                    "arguments": {"n": 1.50, "_meta": 1},
                    "task": {},
                    "_meta": {
                        "io.modelcontextprotocol/protocolVersion": "2025-06-18",
                        "io.modelcontextprotocol/clientCapabilities": {"roots": {}},
                        "io.modelcontextprotocol/clientInfo": {"name": "old", "version": "1"},
                        "io.modelcontextprotocol/logLevel": "info",
                        "progressToken": "p",
                        "x.y/z": [1],
                    },
                },
            })
        );
        // As it came, digit for digit.
        assert!(line.contains(r#"{ "n": 1.50, "_meta": 1 }"#), "{line}");
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for params in ["[]", "7", r#"{"_meta":[]}"#, r#"{"_meta":{},"_meta":{}}"#] {
            assert_eq!(upgrade(params).unwrap_err().code, -32602, "{params}");
        }
        assert!(upgrade(r#"{"_meta":null}"#).is_ok());
        assert!(upgrade("{}").is_ok());
    }
}
