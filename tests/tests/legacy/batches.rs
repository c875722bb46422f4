//! Batches, which one revision has.
//!
//! Specification: 2025-03-26, basic/index, Batching; JSON-RPC 2.0, section 6.

use std::time::Duration;

use mcp_core::Revision;
use mcp_tests::{earlier::Earlier, official, wire::code};
use serde_json::{Value, json};

use crate::everything::{capabilities, connect, server};

fn request(id: impl Into<Value>, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params})
}

fn wait(id: i64, ms: u64) -> Value {
    let arguments = json!({"ms": ms, "text": id.to_string()});
    request(
        id,
        "tools/call",
        json!({"name": "wait", "arguments": arguments}),
    )
}

fn notification() -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"})
}

/// What comes next; it may be an array.
async fn next(client: &mut Earlier) -> Value {
    let message = raw(client).await;
    official::check_as("2025-03-26", None, &message);
    message
}

/// The same, which may have no id: no error of the official schema may, and JSON-RPC has no other.
async fn raw(client: &mut Earlier) -> Value {
    serde_json::from_str(&client.wire.line().await.unwrap()).unwrap()
}

/// The array that comes next, by id.
async fn array(client: &mut Earlier) -> Vec<Value> {
    loop {
        let message = next(client).await;
        if message.get("method").is_some() {
            client.take(message).await;
            continue;
        }
        let mut answers = message.as_array().unwrap().clone();
        answers.sort_by_key(|answer| answer["id"].to_string());
        return answers;
    }
}

async fn open() -> Earlier {
    connect(Revision::V2025_03_26).await
}

#[tokio::test]
async fn an_array_of_answers_comes_when_all_are_there() {
    let mut client = open().await;
    let batch = json!([
        wait(1001, 80),
        request(1002, "ping", json!({})),
        notification(),
        wait(1003, 20),
        request(1004, "no/such", json!({})),
    ]);
    client.wire.send(&batch).await;
    // Others do not wait for it.
    assert_eq!(client.request("ping", json!({})).await["result"], json!({}));
    let answers = array(&mut client).await;
    let ids: Vec<&Value> = answers.iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, [1001, 1002, 1003, 1004]);
    assert_eq!(answers[0]["result"]["content"][0]["text"], "1001");
    assert_eq!(answers[1]["result"], json!({}));
    assert_eq!(answers[2]["result"]["content"][0]["text"], "1003");
    assert_eq!(code(&answers[3]), -32601);
}

#[tokio::test]
async fn what_wants_no_answer_has_none() {
    let mut client = open().await;
    client
        .wire
        .send(&json!([notification(), notification()]))
        .await;
    client
        .wire
        .send(&json!([{"jsonrpc": "2.0", "id": 77, "result": {}}, notification()]))
        .await;
    client.wire.assert_silent(Duration::from_millis(50)).await;
}

#[tokio::test]
async fn what_is_no_batch_is_refused() {
    let mut client = open().await;
    client.wire.write(b"[]\n").await;
    let refused = raw(&mut client).await;
    assert_eq!(code(&refused), -32600);
    let said = refused["error"]["message"].as_str().unwrap();
    assert!(said.contains("at least one message"), "{said}");
    client
        .wire
        .write(b"[1, {\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\"}]\n")
        .await;
    let refused = raw(&mut client).await;
    let answers = refused.as_array().unwrap();
    assert_eq!(answers.len(), 2);
    assert_eq!(code(&answers[0]), -32600);
    assert_eq!(answers[0]["id"], json!(null));
    assert_eq!(answers[1], json!({"jsonrpc": "2.0", "id": 5, "result": {}}));
    client.wire.write(b"[{\"jsonrpc\"\n").await;
    let refused = raw(&mut client).await;
    assert_eq!(code(&refused), -32700);
    assert_eq!(client.request("ping", json!({})).await["result"], json!({}));
}

#[tokio::test]
async fn a_handshake_is_no_part_of_one() {
    let mut client = open().await;
    let hello = json!({
        "protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "n", "version": "1"},
    });
    client
        .wire
        .send(&json!([request(1001, "initialize", hello)]))
        .await;
    let answers = array(&mut client).await;
    assert_eq!(code(&answers[0]), -32600);
    // The session is the same as before.
    client
        .wire
        .send(&json!([request(1002, "ping", json!({}))]))
        .await;
    assert_eq!(array(&mut client).await[0]["id"], 1002);
}

#[tokio::test]
async fn what_members_send_comes_before_the_array() {
    let mut client = open().await;
    let work = |id: i64| {
        let meta = json!({"progressToken": id});
        request(id, "tools/call", json!({"name": "work", "_meta": meta}))
    };
    client.wire.send(&json!([work(1001), work(1002)])).await;
    let answers = array(&mut client).await;
    assert_eq!(answers.len(), 2);
    let tokens = client
        .heard
        .iter()
        .map(|heard| &heard["params"]["progressToken"]);
    let tokens: Vec<&Value> = tokens.filter(|token| !token.is_null()).collect();
    assert_eq!(tokens, [1001, 1002]);
}

#[tokio::test]
async fn members_ask_and_are_answered_in_a_batch() {
    let mut client = open().await;
    let roots = |id: i64| request(id, "tools/call", json!({"name": "roots"}));
    client.wire.send(&json!([roots(1001), roots(1002)])).await;
    let questions = [next(&mut client).await, next(&mut client).await];
    let result = json!({"roots": [{"uri": "file:///home"}]});
    let answers = questions.map(|q| json!({"jsonrpc": "2.0", "id": q["id"], "result": result}));
    client.wire.send(&json!(answers)).await;
    for answer in array(&mut client).await {
        assert_eq!(answer["result"]["content"][0]["text"], "file:///home");
    }
}

#[tokio::test]
async fn a_member_that_is_taken_back_holds_nobody_up() {
    let mut client = open().await;
    client
        .wire
        .send(&json!([
            wait(1001, 60_000),
            request(1002, "ping", json!({}))
        ]))
        .await;
    client
        .notify("notifications/cancelled", json!({"requestId": 1001}))
        .await;
    let answers = array(&mut client).await;
    assert_eq!(answers.len(), 1);
    assert_eq!(answers[0]["id"], 1002);
    // The last one alone: there is nothing to say.
    client.wire.send(&json!([wait(1003, 60_000)])).await;
    client
        .notify("notifications/cancelled", json!({"requestId": 1003}))
        .await;
    client.wire.assert_silent(Duration::from_millis(50)).await;
}

#[tokio::test]
async fn what_would_not_end_or_is_too_much_is_refused() {
    let mut client = open().await;
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({"notifications": {"toolsListChanged": true}, "_meta": meta});
    let listen = request(1001, "subscriptions/listen", params);
    client
        .wire
        .send(&json!([listen, request(1002, "ping", json!({}))]))
        .await;
    let answers = array(&mut client).await;
    assert_eq!(code(&answers[0]), -32600);
    assert_eq!(answers[1]["result"], json!({}));
    let many = |count: i64| {
        Value::Array(
            (0..count)
                .map(|id| request(id, "ping", json!({})))
                .collect(),
        )
    };
    client.wire.send(&many(256)).await;
    assert_eq!(array(&mut client).await.len(), 256);
    client.wire.send(&many(257)).await;
    assert_eq!(code(&raw(&mut client).await), -32600);
}

#[tokio::test]
async fn an_id_that_is_in_use_is_refused() {
    let mut client = open().await;
    client
        .wire
        .write(format!("{}\n", json!([wait(1, 50), wait(1, 0)])).as_bytes())
        .await;
    let answers = raw(&mut client).await;
    let codes: Vec<i64> = answers
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|a| a["error"]["code"].as_i64())
        .collect();
    assert_eq!(codes, [-32600], "{answers}");
    assert_eq!(answers.as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn no_other_revision_has_them() {
    for revision in Revision::LEGACY {
        if *revision == Revision::V2025_03_26 {
            continue;
        }
        let mut client = Earlier::connect(&server(), *revision, capabilities()).await;
        let batch = json!([request(1, "ping", json!({}))]);
        client.wire.write(format!("{batch}\n").as_bytes()).await;
        let refused = raw(&mut client).await;
        assert_eq!(code(&refused), -32600, "{revision}");
        assert_eq!(client.request("ping", json!({})).await["result"], json!({}));
    }
}
