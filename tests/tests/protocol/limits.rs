//! Limits of the server and of single tools: each refuses what is over it, in words of its own, and nothing else.

use std::time::Duration;

use mcp_server::{ConcurrencyLimit, MessageLimit, ResultLimit, TimeLimit, prelude::*};
use mcp_tests::wire::{Wire, text, tool_error};
use serde_json::json;

/// Gives back what it gets, twice.
#[tool]
async fn twice(text: String) -> String {
    text.repeat(2)
}

/// Gives back what it gets.
#[tool]
async fn once_more(text: String) -> String {
    text
}

/// Gives structured content.
#[tool]
async fn list(items: usize) -> Json<Vec<String>> {
    Json(vec!["item".to_owned(); items])
}

/// Takes its time.
#[tool]
async fn wait(ms: u64) -> String {
    tokio::time::sleep(Duration::from_millis(ms)).await;
    format!("waited for {ms}")
}

#[tokio::test]
async fn a_message_over_the_limit_of_its_tool_is_refused() {
    let server = Server::builder("limits", "1.0.0")
        .tools(tools![twice].layer(MessageLimit::new(1000)))
        .tools(tools![once_more])
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    let long = "x".repeat(1000);
    let refused = wire.call("twice", json!({"text": long})).await;
    let expected = "the message is longer than 1000 bytes, the limit of `twice`; send less";
    assert_eq!(tool_error(&refused), expected);
    assert_eq!(
        text(&wire.call("twice", json!({"text": "ab"})).await),
        "abab"
    );
    assert_eq!(
        text(&wire.call("once_more", json!({"text": long})).await),
        long
    );
}

#[tokio::test]
async fn a_result_over_the_limit_of_its_tool_is_an_error() {
    let server = Server::builder("limits", "1.0.0")
        .tools(tools![twice, list].layer(ResultLimit::new(100)))
        .tools(tools![once_more])
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    // Exactly as much as may be, and one more.
    let most = "x".repeat(50);
    assert_eq!(
        text(&wire.call("twice", json!({"text": most})).await).len(),
        100
    );
    let more = "x".repeat(51);
    let refused = wire.call("twice", json!({"text": more})).await;
    let expected = "the result has more than 100 bytes, the limit of `twice`; ask for less";
    assert_eq!(tool_error(&refused), expected);
    assert!(tool_error(&wire.call("list", json!({"items": 100})).await).contains("`list`"));
    let answer = wire.call("list", json!({"items": 2})).await;
    assert_eq!(
        answer["result"]["structuredContent"]["result"],
        json!(["item", "item"])
    );
    let long = "x".repeat(1000);
    assert_eq!(
        text(&wire.call("once_more", json!({"text": long})).await),
        long
    );
}

/// The same layers hold for the whole server.
#[tokio::test]
async fn limits_of_the_server_hold_for_every_tool() {
    let server = Server::builder("limits", "1.0.0")
        .layer(ConcurrencyLimit::new(1))
        .layer(TimeLimit::new(Duration::from_millis(400)))
        .layer(ResultLimit::new(100))
        .layer(MessageLimit::new(1000))
        .tools(tools![twice, once_more, wait])
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    for tool in ["twice", "once_more"] {
        let refused = wire.call(tool, json!({"text": "x".repeat(1000)})).await;
        assert!(tool_error(&refused).contains("1000 bytes"), "{refused}");
        let refused = wire.call(tool, json!({"text": "x".repeat(200)})).await;
        assert!(tool_error(&refused).contains("100 bytes"), "{refused}");
    }
    let first = wire
        .begin(
            "tools/call",
            json!({"name": "wait", "arguments": {"ms": 60_000}}),
        )
        .await;
    let refused = wire.call("once_more", json!({"text": "a"})).await;
    let busy = "1 calls are running already, which is the limit; try again later";
    assert_eq!(tool_error(&refused), busy);
    let refused = wire.receive().await;
    assert_eq!(refused["id"], first);
    assert!(
        tool_error(&refused).contains("longer than 400ms"),
        "{refused}"
    );
    // The place is free again.
    assert_eq!(
        text(&wire.call("once_more", json!({"text": "a"})).await),
        "a"
    );
}
