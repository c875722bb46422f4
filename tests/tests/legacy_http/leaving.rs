//! Clients that go away: that is no cancellation, and a cancellation is one.

use std::{sync::Arc, time::Duration};

use mcp_tests::web::Site;
use serde_json::json;

use crate::{
    old::{NEWEST, Old, call, open, request, text},
    reached, server_of,
};

fn cancelled(id: i64) -> serde_json::Value {
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": id, "reason": "the user has had enough"}})
}

#[tokio::test]
async fn to_close_the_connection_is_no_cancellation() {
    let (site, work) = open().await;
    let client = Old::begin(&site, NEWEST).await;
    for form in ["application/json", "application/json, text/event-stream"] {
        let mut connection = site.connect().await;
        let post = client.post(&call(1, "silent", json!({})));
        let begun = work.begun.load(std::sync::atomic::Ordering::SeqCst);
        connection.send(&post.with("Accept", form)).await;
        reached(&work.begun, begun + 1).await;
        drop(connection);
        tokio::time::sleep(Duration::from_millis(50)).await;
        work.gate.notify_one();
        reached(&work.done, begun + 1).await;
    }
}

#[tokio::test]
async fn a_cancellation_ends_a_call_and_its_stream() {
    let (site, work) = open().await;
    let client = Old::begin(&site, NEWEST).await;
    let mut events = client.stream(&call(5, "gated", json!({}))).await;
    events.priming().await;
    assert_eq!(text(&events.message().await.1), "before");
    // Of another session, of another id, of no request.
    let other = Old::begin(&site, NEWEST).await;
    assert_eq!(other.send(&cancelled(5)).await.head.status, 202);
    assert_eq!(client.send(&cancelled(6)).await.head.status, 202);
    events
        .connection
        .assert_silent(Duration::from_millis(50))
        .await;
    assert_eq!(client.send(&cancelled(5)).await.head.status, 202);
    reached(&work.dropped, 1).await;
    assert_eq!(events.next().await, None);
    // Its id is free.
    client.ask(&request(5, "ping", json!({}))).await;
    // A client that takes no stream is told.
    let mut connection = site.connect().await;
    let post = client.post(&call(7, "silent", json!({})));
    connection
        .send(&post.with("Accept", "application/json"))
        .await;
    reached(&work.begun, 2).await;
    client.send(&cancelled(7)).await;
    assert_eq!(connection.response().await.refusal(), (409, -32600));
}

/// Its effect may be under way.
#[tokio::test]
async fn a_call_that_has_claimed_something_goes_on() {
    let (site, work) = open().await;
    let client = Old::begin(&site, NEWEST).await;
    drop(client.stream(&call(1, "pay", json!({"order": "A"}))).await);
    reached(&work.begun, 1).await;
    client.send(&cancelled(1)).await;
    site.send(&client.delete()).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    work.gate.notify_one();
    reached(&work.done, 1).await;
}

#[tokio::test]
async fn at_the_end_calls_may_finish_and_listeners_are_let_go() {
    let work = Arc::default();
    let server = server_of(&work)
        .drain_grace(Duration::from_secs(10))
        .build()
        .unwrap();
    let site = Arc::new(Site::open(server.http()).await);
    let client = Old::begin(&site, NEWEST).await;
    let mut waiting = client.stream(&call(1, "silent", json!({}))).await;
    let mut listening = client.open(&client.get(), None).await;
    reached(&work.begun, 1).await;
    server.shutdown().begin();
    assert_eq!(listening.next().await, None);
    work.gate.notify_one();
    assert_eq!(waiting.texts().await, ["said at last"]);
    drop(client);
    Arc::into_inner(site).unwrap().ended().await;
}

/// Nobody can answer any more.
#[tokio::test]
async fn at_the_end_no_question_is_waited_for() {
    let work = Arc::default();
    let server = server_of(&work)
        .drain_grace(Duration::from_secs(60))
        .build()
        .unwrap();
    let site = Arc::new(Site::open(server.http()).await);
    let client = Old::begin(&site, NEWEST).await;
    let mut events = client.stream(&call(1, "confirmed", json!({}))).await;
    events.priming().await;
    assert_eq!(events.message().await.1["method"], "elicitation/create");
    server.shutdown().begin();
    let (_, answer) = events.message().await;
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    drop((client, events));
    Arc::into_inner(site).unwrap().ended().await;
}

/// What does not finish in time is dropped, whether its client is there or not; what has claimed something is waited for.
#[tokio::test]
async fn at_the_end_what_does_not_finish_is_dropped() {
    let (mut site, work) = {
        let (server, work) = crate::server();
        (Arc::new(Site::open(server.http()).await), work)
    };
    let client = Old::begin(&site, NEWEST).await;
    drop(client.stream(&call(1, "silent", json!({}))).await);
    let mut waiting = client.stream(&call(2, "silent", json!({}))).await;
    drop(client.stream(&call(3, "pay", json!({"order": "A"}))).await);
    reached(&work.begun, 3).await;
    drop(client);
    Arc::get_mut(&mut site).unwrap().stop();
    waiting.connection.closed().await;
    reached(&work.dropped, 2).await;
    work.gate.notify_one();
    Arc::into_inner(site).unwrap().ended().await;
    assert_eq!(work.done.load(std::sync::atomic::Ordering::SeqCst), 1);
}
