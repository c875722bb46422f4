//! How a subscription ends: silently where the client ends it, with a result where the server does.

use std::time::{Duration, Instant};

use mcp_tests::wire::{Wire, text};
use serde_json::json;

use crate::{builder, ended, listen, listening, server, tools_changed};

#[tokio::test]
async fn one_that_the_client_cancels_ends_silently_and_frees_its_place() {
    let server = server();
    let mut wire = Wire::open(&server);
    let id = listen(&mut wire, json!({"toolsListChanged": true})).await;
    // It may not be told of this one any more.
    server.notify().tools_changed();
    wire.cancel(id).await;
    listening(&server, 0).await;
    server.notify().tools_changed();
    tokio::time::sleep(Duration::from_millis(100)).await;
    // No answer, no notice: at most the one that was sent before it was cancelled.
    wire.begin(
        "tools/call",
        json!({"name": "echo", "arguments": {"text": "a"}}),
    )
    .await;
    let answer = wire.receive().await;
    assert_eq!(text(&answer), "a");
    // The id is free as well.
    wire.send(&json!({
        "jsonrpc": "2.0",
        "id": id,
        "method": "subscriptions/listen",
        "params": {"_meta": wire.meta, "notifications": {"toolsListChanged": true}},
    }))
    .await;
    assert_eq!(
        wire.receive().await["method"],
        "notifications/subscriptions/acknowledged"
    );
    server.notify().tools_changed();
    tools_changed(&mut wire, id).await;
}

#[tokio::test]
async fn cancelling_one_leaves_the_others() {
    let server = server();
    let mut wire = Wire::open(&server);
    let one = listen(&mut wire, json!({"toolsListChanged": true})).await;
    let two = listen(&mut wire, json!({"toolsListChanged": true})).await;
    wire.cancel(one).await;
    // Ids that nobody has, or of another type, cancel nothing.
    wire.cancel(two.to_string()).await;
    wire.cancel(1000).await;
    listening(&server, 1).await;
    server.notify().tools_changed();
    tools_changed(&mut wire, two).await;
}

#[tokio::test]
async fn the_end_of_the_input_ends_it_in_good_order_and_does_not_wait() {
    let server = builder()
        .drain_grace(Duration::from_secs(300))
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    let begin = Instant::now();
    let id = listen(&mut wire, json!({"toolsListChanged": true})).await;
    wire.close_input().await;
    ended(&mut wire, id).await;
    assert_eq!(wire.line().await, None);
    wire.served().await.unwrap();
    assert!(begin.elapsed() < Duration::from_secs(15));
    assert_eq!(server.notify().listening(), 0);
}

#[tokio::test]
async fn a_change_before_the_end_is_told_before_the_end() {
    let server = server();
    let mut wire = Wire::open(&server);
    let id = listen(&mut wire, json!({"toolsListChanged": true})).await;
    server.notify().tools_changed();
    tokio::time::sleep(Duration::from_millis(100)).await;
    wire.close_input().await;
    tools_changed(&mut wire, id).await;
    ended(&mut wire, id).await;
}

/// Although changes are told a moment later.
#[tokio::test]
async fn a_change_right_before_a_shutdown_is_told_before_the_end() {
    let server = server();
    let mut wire = Wire::open(&server);
    let id = listen(&mut wire, json!({"toolsListChanged": true})).await;
    server.notify().tools_changed();
    server.shutdown().begin();
    tools_changed(&mut wire, id).await;
    ended(&mut wire, id).await;
}

#[tokio::test]
async fn a_shutdown_ends_subscriptions_and_lets_calls_finish() {
    let server = builder()
        .drain_grace(Duration::from_secs(300))
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    let id = listen(&mut wire, json!({"toolsListChanged": true})).await;
    let call = wire
        .begin(
            "tools/call",
            json!({"name": "wait", "arguments": {"ms": 400}}),
        )
        .await;
    // The call has begun when the next one is answered.
    wire.begin("tools/list", json!({})).await;
    wire.receive().await;
    let shutdown = server.shutdown();
    assert!(!shutdown.has_begun());
    shutdown.begin();
    assert!(shutdown.has_begun());
    shutdown.begun().await;
    ended(&mut wire, id).await;
    let answer = wire.receive().await;
    assert_eq!(answer["id"], call);
    assert_eq!(text(&answer), "waited for 400");
    // The server has gone, although the client has not.
    assert_eq!(wire.line().await, None);
    wire.served().await.unwrap();
    assert_eq!(server.notify().listening(), 0);
}

#[tokio::test]
async fn a_shutdown_does_not_wait_for_calls_beyond_the_grace_period() {
    let server = builder()
        .drain_grace(Duration::from_millis(100))
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    wire.begin(
        "tools/call",
        json!({"name": "wait", "arguments": {"ms": 600_000}}),
    )
    .await;
    wire.begin("tools/list", json!({})).await;
    wire.receive().await;
    let begin = Instant::now();
    server.shutdown().begin();
    wire.served().await.unwrap();
    assert!(begin.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn a_server_that_is_shut_down_serves_nobody() {
    let server = server();
    server.shutdown().begin();
    let wire = Wire::open(&server);
    wire.served().await.unwrap();
}

/// Field report: a connection that is dropped is never cleaned up.
#[tokio::test]
async fn one_whose_connection_is_dropped_frees_its_place() {
    let server = server();
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (reader, writer) = tokio::io::split(theirs);
    let serving = tokio::spawn({
        let server = server.clone();
        async move { server.serve(reader, writer).await }
    });
    let (mut their_reader, mut their_writer) = tokio::io::split(ours);
    let wire = Wire::open(&server);
    let listen = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "subscriptions/listen",
        "params": {"_meta": wire.meta, "notifications": {"toolsListChanged": true}},
    });
    tokio::io::AsyncWriteExt::write_all(&mut their_writer, format!("{listen}\n").as_bytes())
        .await
        .unwrap();
    listening(&server, 1).await;
    // Whoever serves is dropped.
    serving.abort();
    listening(&server, 0).await;
    let mut rest = Vec::new();
    tokio::io::AsyncReadExt::read_to_end(&mut their_reader, &mut rest)
        .await
        .unwrap();

    // The client is dropped.
    let mut wire = Wire::open(&server);
    crate::listen(&mut wire, json!({"toolsListChanged": true})).await;
    listening(&server, 1).await;
    drop(wire);
    listening(&server, 0).await;
}
