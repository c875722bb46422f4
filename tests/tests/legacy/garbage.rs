//! Whatever a client of an earlier revision sends, the next message works, and each request that can be told apart has one answer.

use std::collections::HashMap;

use mcp_server::prelude::*;
use serde_json::{Value, json};

use crate::support::{confirm, connect, echo, server};

/// Messages that are in order, of all kinds.
fn messages() -> Vec<Value> {
    let request = |method: &str, params: Value| json!({"jsonrpc": "2.0", "id": "r", "method": method, "params": params});
    vec![
        request("ping", json!({})),
        request(
            "tools/list",
            json!({"cursor": null, "_meta": {"progressToken": 1}}),
        ),
        request(
            "tools/call",
            json!({"name": "echo", "arguments": {"text": "x"}, "_meta": {"a": 1}}),
        ),
        request("prompts/get", json!({"name": "x", "arguments": {}})),
        request("resources/read", json!({"uri": "shop://x"})),
        request("resources/subscribe", json!({"uri": "shop://x"})),
        request(
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "x"},
            "argument": {"name": "a", "value": "b"}}),
        ),
        request("logging/setLevel", json!({"level": "info"})),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized", "params": {}}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99, "reason": "x"}}),
        json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}),
        json!({"jsonrpc": "2.0", "id": 77, "result": {"action": "accept", "content": {"confirm": true}}}),
        json!({"jsonrpc": "2.0", "id": 77, "error": {"code": -1, "message": "no", "data": {}}}),
    ]
}

/// Every message with one of its parts replaced by something odd, or left out.
fn spoilt(message: &Value) -> Vec<Value> {
    let odd = [
        json!(null),
        json!([]),
        json!({}),
        json!(-1.5),
        json!(true),
        json!(""),
        json!([{"a": [1]}]),
        json!("\u{202e}\u{0}"),
    ];
    let mut spoilt = Vec::new();
    for path in paths(message, "") {
        for value in &odd {
            let mut message = message.clone();
            *message.pointer_mut(&path).unwrap() = value.clone();
            spoilt.push(message);
        }
        let (parent, name) = path.rsplit_once('/').unwrap();
        let mut message = message.clone();
        if let Some(members) = message.pointer_mut(parent).and_then(Value::as_object_mut) {
            members.remove(name);
        }
        spoilt.push(message);
    }
    spoilt
}

/// Where the parts of a value are.
fn paths(value: &Value, at: &str) -> Vec<String> {
    let Some(members) = value.as_object() else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (name, value) in members {
        let path = format!("{at}/{}", name.replace('/', "~1"));
        found.extend(paths(value, &path));
        found.push(path);
    }
    found
}

#[tokio::test]
async fn after_anything_the_next_message_works() {
    let server = server(tools![echo, confirm]);
    let mut wire = connect(&server, "2025-11-25").await;
    let mut number = 0;
    for message in messages().iter().flat_map(spoilt) {
        number += 1;
        wire.send(&message).await;
        let ping = format!("ping {number}");
        wire.send(&json!({"jsonrpc": "2.0", "id": ping, "method": "ping"}))
            .await;
        let mut answers = HashMap::<String, u32>::new();
        loop {
            let answer = wire.receive().await;
            if answer["id"] == ping {
                break;
            }
            *answers.entry(answer["id"].to_string()).or_default() += 1;
        }
        let is_request = message["id"] == "r" && message["method"].is_string();
        assert!(
            !is_request || answers.contains_key("\"r\""),
            "{message}: {answers:?}"
        );
        assert!(
            answers.values().all(|times| *times == 1),
            "{message}: {answers:?}"
        );
    }
    assert!(number > 500, "{number}");
}

/// An answer that cannot be read is an answer all the same: the call does not wait any longer.
#[tokio::test]
async fn a_spoilt_answer_ends_its_call() {
    let server = server(tools![echo, confirm]);
    let mut wire = connect(&server, "2025-11-25").await;
    for member in [
        json!({"result": null}),
        json!({"result": []}),
        json!({"result": {}, "error": {"code": 1, "message": "both"}}),
        json!({"error": null}),
        json!({"error": []}),
        json!({}),
    ] {
        let call = json!({"name": "confirm", "arguments": {"what": "it"}});
        let id = wire.begin("tools/call", call).await;
        let asked = wire.expect_request("elicitation/create").await;
        let mut answer = json!({"jsonrpc": "2.0", "id": asked["id"]});
        answer
            .as_object_mut()
            .unwrap()
            .extend(member.as_object().unwrap().clone());
        wire.send(&answer).await;
        let answer = wire.receive().await;
        assert_eq!(answer["id"], id, "{member}: {answer}");
        assert_eq!(answer["result"]["isError"], true, "{member}: {answer}");
    }
}
