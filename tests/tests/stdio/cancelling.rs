//! Cancellation, progress and log messages.

use std::time::Duration;

use mcp_tests::wire::text;
use serde_json::{Value, json};

use crate::launch;

/// Calls `report` with an entry in its `_meta`, and gives everything up to its result.
async fn reported(entries: Value, steps: Value) -> Vec<Value> {
    let mut wire = launch(&[]);
    let mut meta = wire.meta.clone();
    for (key, value) in entries.as_object().unwrap() {
        meta[key] = value.clone();
    }
    let params = json!({"name": "report", "arguments": {"steps": steps, "ms": 20}, "_meta": meta});
    let id = wire.begin("tools/call", params).await;
    let mut messages = Vec::new();
    loop {
        let message = wire.receive().await;
        if message["id"] == id {
            assert_eq!(text(&message), "reported");
            break;
        }
        messages.push(message);
    }
    // Nothing follows the result.
    wire.assert_silent(Duration::from_millis(150)).await;
    messages
}

/// The token comes back with its type; what does not grow is left out, what is not wanted is not sent.
#[tokio::test]
async fn progress_needs_a_token_and_grows_strictly() {
    for token in [
        json!(0),
        json!("0"),
        json!(""),
        json!(9_007_199_254_740_993_i64),
    ] {
        let messages = reported(json!({"progressToken": token}), json!([1, 1, 3, 2, 3.5])).await;
        let values: Vec<&Value> = messages
            .iter()
            .map(|message| {
                assert_eq!(message["method"], "notifications/progress");
                assert_eq!(message["params"]["progressToken"], token);
                assert_eq!(message["params"]["total"], 10);
                &message["params"]["progress"]
            })
            .collect();
        assert_eq!(values, [&json!(1), &json!(3), &json!(3.5)], "{token}");
    }
    assert_eq!(
        reported(json!({}), json!([1, 2])).await,
        Vec::<Value>::new()
    );
}

#[tokio::test]
async fn log_messages_need_a_level_and_reach_it() {
    let level = "io.modelcontextprotocol/logLevel";
    for (asked, expected) in [
        ("debug", vec!["info", "error"]),
        ("info", vec!["info", "error"]),
        ("notice", vec!["error"]),
        ("error", vec!["error"]),
        ("critical", vec![]),
    ] {
        let messages = reported(json!({ level: asked }), json!([1])).await;
        let levels: Vec<&str> = messages
            .iter()
            .map(|message| {
                assert_eq!(message["method"], "notifications/message");
                message["params"]["level"].as_str().unwrap()
            })
            .collect();
        assert_eq!(levels, expected, "{asked}");
    }
    let mut wire = launch(&[]);
    let mut meta = wire.meta.clone();
    meta[level] = json!("loud");
    let params = json!({"name": "echo", "arguments": {"text": "x"}, "_meta": meta});
    let refused = wire.request("tools/call", params).await;
    assert_eq!(refused["error"]["code"], -32602);
}

/// Nothing is sent for a request that was taken back: no result, no error, no progress.
#[tokio::test]
async fn a_cancelled_request_is_never_heard_of_again() {
    let mut wire = launch(&[]);
    let mut meta = wire.meta.clone();
    meta["progressToken"] = json!(0);
    let arguments = json!({"steps": [1, 1, 3, 2], "ms": 60_000});
    let params = json!({"name": "report", "arguments": arguments, "_meta": meta});
    let id = wire.begin("tools/call", params.clone()).await;
    for expected in [1, 3] {
        assert_eq!(wire.receive().await["params"]["progress"], expected);
    }
    wire.cancel(id).await;
    wire.assert_silent(Duration::from_millis(200)).await;
    // What is unknown, finished or no id at all is passed over.
    wire.cancel(id).await;
    wire.cancel(4711).await;
    wire.cancel("nobody").await;
    wire.cancel(json!({"no": "id"})).await;
    wire.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled"}))
        .await;
    assert_eq!(text(&wire.call("echo", json!({"text": "on"})).await), "on");
    wire.assert_silent(Duration::from_millis(100)).await;
}

/// An id says which of two requests is meant by its type as well.
#[tokio::test]
async fn a_cancel_takes_back_the_request_of_that_very_id() {
    let mut wire = launch(&[]);
    let params = json!({"name": "wait", "arguments": {"ms": 400}, "_meta": wire.meta});
    for id in [json!(7), json!("7")] {
        wire.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}))
            .await;
    }
    wire.cancel("7").await;
    let answer = wire.receive().await;
    assert_eq!(answer["id"], 7);
    wire.assert_silent(Duration::from_millis(300)).await;
}
