//! The params of requests, in the words of each revision.

use mcp_core::Revision;
use mcp_core::protocol::meta::key;
use serde::Serialize;
use serde::ser::SerializeMap;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::error::Error;
use crate::options::CallOptions;
use crate::session::{Call, raw};

/// What of `_meta` belongs to revisions without a handshake.
const OF_TODAY: [&str; 4] = [
    key::PROTOCOL_VERSION,
    key::CLIENT_INFO,
    key::CLIENT_CAPABILITIES,
    key::LOG_LEVEL,
];

/// The params of a call as JSON. `_meta` has nothing of the protocol in it but the progress token: version and
/// capabilities were agreed on once.
pub(super) fn of(
    revision: Revision,
    call: &Call,
    options: &CallOptions,
    token: Option<u64>,
) -> Result<String, Error> {
    let mut meta = options.meta.clone();
    // A server that speaks both would take the request for one of today.
    meta.retain(|name, _| !OF_TODAY.contains(&name.as_str()));
    match token {
        Some(token) => meta.insert("progressToken".to_owned(), token.into()),
        None => meta.remove("progressToken"),
    };
    let params = Params {
        fields: &call.fields,
        leaves_out: |name: &str| !knows(revision, &call.method, name),
        meta: &meta,
    };
    serde_json::to_string(&params).map_err(|e| Error::Arguments {
        target: call.target.clone(),
        reason: e.to_string(),
    })
}

/// Whether a member of the params exists in this revision.
fn knows(revision: Revision, method: &str, name: &str) -> bool {
    match (method, name) {
        ("completion/complete", "context") => revision >= Revision::V2025_06_18,
        _ => true,
    }
}

struct Params<'a, F> {
    fields: &'a [(String, String)],
    leaves_out: F,
    meta: &'a Map<String, Value>,
}

impl<F: Fn(&str) -> bool> Serialize for Params<'_, F> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.fields {
            if !(self.leaves_out)(name) {
                let value: &RawValue = raw(value)?;
                map.serialize_entry(name, value)?;
            }
        }
        if !self.meta.is_empty() {
            map.serialize_entry("_meta", self.meta)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_the_host_adds_and_the_token_stand_in_meta() {
        let call = Call::new(
            "tools/call",
            "t",
            vec![("name".to_owned(), r#""t""#.to_owned())],
        );
        let options = CallOptions::new()
            .meta("traceparent", "00-1-2-01")
            .meta("io.modelcontextprotocol/protocolVersion", "2026-07-28");
        let params = |options, token| -> Value {
            let params = of(Revision::V2025_06_18, &call, options, token).unwrap();
            serde_json::from_str(&params).unwrap()
        };
        assert_eq!(
            params(&options, Some(7)),
            json!({"name": "t", "_meta": {"traceparent": "00-1-2-01", "progressToken": 7}})
        );
        assert_eq!(params(&CallOptions::new(), None), json!({"name": "t"}));
    }

    #[test]
    fn completions_have_a_context_since_2025_06_18() {
        let fields = vec![("context".to_owned(), r#"{"arguments":{}}"#.to_owned())];
        let call = Call::new("completion/complete", "c", fields);
        let params = |revision| of(revision, &call, &CallOptions::new(), None).unwrap();
        assert_eq!(params(Revision::V2025_03_26), "{}");
        assert!(params(Revision::V2025_06_18).contains("context"));
    }
}
