//! Whatever a function gives: no view panics, what comes out is JSON on one line, and users' data stays as it is.

use mcp_core::Revision;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

const METHODS: [&str; 12] = [
    "tools/list",
    "tools/call",
    "prompts/list",
    "prompts/get",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "completion/complete",
    "initialize",
    "elicitation/create",
    "sampling/createMessage",
    "notifications/progress",
];

/// Names and values that views look for.
const NAMES: [&str; 24] = [
    "_meta",
    "annotations",
    "arguments",
    "capabilities",
    "content",
    "default",
    "icons",
    "inputSchema",
    "io.modelcontextprotocol/x",
    "lastModified",
    "message",
    "messages",
    "oneOf",
    "outputSchema",
    "prompts",
    "properties",
    "requestedSchema",
    "resources",
    "serverInfo",
    "structuredContent",
    "title",
    "tools",
    "type",
    "const",
];
const TEXTS: [&str; 8] = [
    "object",
    "array",
    "audio",
    "resource_link",
    "text",
    "tool_result",
    "complete",
    "\"\n\\\u{202e}",
];

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        prop::sample::select(&TEXTS[..]).prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            object(inner).prop_map(Value::Object),
        ]
    })
}

fn object(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Map<String, Value>> {
    let name = prop::sample::select(&NAMES[..]).prop_map(str::to_owned);
    prop::collection::btree_map(name, value, 0..6).prop_map(|members| members.into_iter().collect())
}

proptest! {
    #[test]
    fn what_comes_out_is_json_on_one_line(newest in object(value()), revision in prop::sample::select(Revision::LEGACY)) {
        let json = Value::Object(newest).to_string();
        for method in METHODS {
            let seen = [super::result(revision, method, &json).ok(), super::requested(revision, method, &json).ok()];
            for seen in seen.into_iter().flatten() {
                prop_assert!(!seen.contains('\n'));
                prop_assert!(serde_json::from_str::<Value>(&seen).is_ok(), "{seen}");
            }
            let message = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{json}}}"#);
            let seen = super::notification(revision, message.into_bytes());
            prop_assert!(serde_json::from_slice::<Value>(&seen).is_ok());
        }
    }

    #[test]
    fn what_is_a_users_own_stays(own in value(), revision in prop::sample::select(Revision::LEGACY)) {
        let own = own.to_string();
        let result = format!(r#"{{"resultType":"complete","content":[{{"type":"text","text":"t"}}],"structuredContent":{{"own":{own}}},"own":{own},"_meta":{{"a.b/own":{own}}}}}"#);
        let seen = super::result(revision, "tools/call", &result).unwrap_or_default();
        let left = seen.matches(&format!(r#"own":{own}"#)).count();
        let expected = if revision >= Revision::V2025_06_18 { 3 } else { 2 };
        prop_assert!(left >= expected, "{seen}");
    }
}
