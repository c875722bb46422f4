//! Requests on a session: the same methods, in the words of the client's revision.

use std::time::Duration;

use mcp_server::prelude::*;
use mcp_tests::wire::{Wire, code, text, tool_error};
use serde_json::{Value, json};

use crate::support::{REVISIONS, connect, echo, report, server, whoami};

#[derive(Debug, Serialize, JsonSchema)]
struct Stock {
    eggs: u32,
}

/// Counts what is there.
#[tool]
async fn stock() -> Json<Stock> {
    Json(Stock { eggs: 12 })
}

/// Panics.
#[tool]
fn panic() -> String {
    panic!("at /srv/secret")
}

/// Waits for ever.
#[tool]
async fn wait() -> String {
    std::future::pending().await
}

/// Repeats what stands in `_meta`.
#[tool]
async fn meta(ctx: Context) -> String {
    ctx.meta()
        .keys()
        .filter(|key| !key.starts_with("io.modelcontextprotocol/"))
        .cloned()
        .collect::<Vec<_>>()
        .join(" ")
}

#[tokio::test]
async fn results_have_what_their_revision_knows() {
    let server = server(tools![stock, echo, panic]);
    for revision in REVISIONS {
        let mut wire = connect(&server, revision).await;
        let listed = wire.request("tools/list", json!({})).await;
        let tools = listed["result"]["tools"].as_array().unwrap();
        assert_eq!(tools.len(), 3);
        let is_structured = revision >= "2025-06-18";
        assert_eq!(tools[0].get("outputSchema").is_some(), is_structured);
        for name in ["ttlMs", "cacheScope"] {
            assert_eq!(listed["result"].get(name), None, "{revision}");
        }
        let answer = wire.call("stock", json!({})).await;
        assert_eq!(text(&answer), r#"{"eggs":12}"#);
        let structured = answer["result"].get("structuredContent");
        assert_eq!(structured, is_structured.then_some(&json!({"eggs": 12})));
        // Errors of a tool are its results, and the connection goes on.
        let failed = wire.call("panic", json!({})).await;
        assert!(!tool_error(&failed).contains("secret"), "{failed}");
        let unfit = wire.call("echo", json!({"txt": "x"})).await;
        assert!(tool_error(&unfit).contains("text"), "{unfit}");
        assert_eq!(code(&wire.call("nothing", json!({})).await), -32602);
        assert_eq!(
            code(&wire.request("tools/call", json!({"name": 7})).await),
            -32602
        );
    }
}

#[tokio::test]
async fn who_calls_is_known_from_the_handshake() {
    let server = server(tools![whoami, meta]);
    for revision in REVISIONS {
        let mut wire = connect(&server, revision).await;
        let answer = wire.call("whoami", json!({})).await;
        assert_eq!(text(&answer), format!("wire of {revision}"));
        let params =
            json!({"name": "meta", "_meta": {"traceparent": "00-1", "x.example/y": {"a": 1}}});
        let answer = wire.request("tools/call", params).await;
        assert_eq!(text(&answer), "traceparent x.example/y");
    }
}

/// What a call says before its result, by method.
async fn before_the_result(wire: &mut Wire, meta: Value) -> Vec<Value> {
    let id = wire
        .begin("tools/call", json!({"name": "report", "_meta": meta}))
        .await;
    let mut messages = Vec::new();
    loop {
        let message = wire.receive().await;
        if message["id"] == id {
            assert_eq!(text(&message), "reported");
            return messages;
        }
        messages.push(message);
    }
}

#[tokio::test]
async fn progress_is_for_those_who_ask_and_messages_are_for_all() {
    let server = server(tools![report]);
    for revision in REVISIONS {
        let mut wire = connect(&server, revision).await;
        let levels = |messages: &[Value]| -> Vec<String> {
            let levels = messages
                .iter()
                .filter_map(|m| m["params"]["level"].as_str());
            levels.map(str::to_owned).collect()
        };
        let progress = |messages: &[Value]| -> Vec<Value> {
            let reports = messages
                .iter()
                .filter(|m| m["method"] == "notifications/progress");
            reports.map(|m| m["params"]["progress"].clone()).collect()
        };
        // Before the client says what it wants, a server may choose.
        let messages = before_the_result(&mut wire, json!({"progressToken": "p"})).await;
        assert_eq!(levels(&messages), ["info", "error"], "{revision}");
        assert_eq!(progress(&messages), [json!(1), json!(2)]);
        assert_eq!(messages[0]["params"]["progressToken"], "p");
        for (level, heard) in [
            ("debug", &["debug", "info", "error"][..]),
            ("error", &["error"]),
            ("emergency", &[]),
        ] {
            let set = json!({"level": level});
            wire.request("logging/setLevel", set).await;
            let messages = before_the_result(&mut wire, json!({})).await;
            assert_eq!(levels(&messages), heard, "{level}");
            assert!(progress(&messages).is_empty());
        }
        for params in [json!({"level": "loud"}), json!({}), json!({"level": 3})] {
            let answer = wire.request("logging/setLevel", params).await;
            assert_eq!(code(&answer), -32602);
        }
    }
}

#[tokio::test]
async fn a_call_that_is_given_up_is_not_answered() {
    let server = server(tools![wait, echo]);
    for revision in REVISIONS {
        let mut wire = connect(&server, revision).await;
        let id = wire.begin("tools/call", json!({"name": "wait"})).await;
        // The `_meta` of a notification says nothing of a revision.
        wire.send(&json!({
            "jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": {"requestId": id, "reason": "changed my mind", "_meta": {"a": 1}},
        }))
        .await;
        wire.assert_silent(Duration::from_millis(30)).await;
        // Its id is free again.
        let again = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": "echo", "arguments": {"text": "x"}}});
        wire.send(&again).await;
        assert_eq!(text(&wire.receive().await), "x");
    }
}
