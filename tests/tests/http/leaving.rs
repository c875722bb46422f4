//! Clients that go away: their calls end, but for those that have claimed something.

use std::{sync::atomic::Ordering, time::Duration};

use http_body_util::BodyExt;
use mcp_tests::{
    web::{Post, Site},
    wire::text,
};
use serde_json::json;

use crate::{Work, http2, http2_call, open, reached, server};

#[tokio::test]
async fn closing_the_connection_drops_a_call_that_would_be_answered_in_json() {
    let (site, work) = open().await;
    let mut connection = site.connect().await;
    connection.send(&Post::call("forever", json!({}))).await;
    reached(&work.begun, 1).await;
    drop(connection);
    reached(&work.dropped, 1).await;
}

#[tokio::test]
async fn closing_the_connection_drops_a_call_whose_stream_has_begun() {
    let (site, work) = open().await;
    let mut connection = site.connect().await;
    connection
        .send(&Post::reporting_call("gated", json!({})))
        .await;
    assert!(connection.head().await.is_stream());
    drop(connection);
    reached(&work.dropped, 1).await;
    assert_eq!(work.done.load(Ordering::SeqCst), 0);
}

/// Work on another thread cannot be dropped: it is told.
#[tokio::test]
async fn work_on_another_thread_is_told() {
    let (site, work) = open().await;
    let mut connection = site.connect().await;
    connection.send(&Post::call("spin", json!({}))).await;
    reached(&work.begun, 1).await;
    drop(connection);
    reached(&work.done, 1).await;
}

/// Its effect may be under way.
#[tokio::test]
async fn a_call_that_has_claimed_something_goes_on_without_its_client() {
    let (site, work) = open().await;
    for (order, form) in [("A", "application/json"), ("B", "text/event-stream")] {
        let begun = work.begun.load(Ordering::SeqCst);
        let mut connection = site.connect().await;
        let post = Post::call("pay", json!({"order": order})).with("Accept", form);
        connection.send(&post).await;
        reached(&work.begun, begun + 1).await;
        drop(connection);
        tokio::time::sleep(Duration::from_millis(50)).await;
        let again = site
            .send(&Post::call("pay", json!({"order": order})))
            .await
            .json();
        assert!(text(&again).contains("still running"), "{again}");
        work.gate.notify_one();
        reached(&work.done, begun + 1).await;
        let again = Post::call("pay", json!({"order": order}));
        loop {
            let answer = site.send(&again).await.json();
            if text(&answer).contains("already done") {
                break;
            }
        }
    }
}

/// Neither a cancellation by message nor the end of another connection concerns a call.
#[tokio::test]
async fn a_cancellation_by_message_has_no_effect() {
    let (site, work) = open().await;
    let mut connection = site.connect().await;
    connection.send(&Post::call("silent", json!({}))).await;
    reached(&work.begun, 1).await;
    let params = json!({"requestId": 7});
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
    assert_eq!(
        site.send(&Post::bytes(cancel.to_string()))
            .await
            .head
            .status,
        202
    );
    connection.assert_silent(Duration::from_millis(50)).await;
    work.gate.notify_one();
    assert_eq!(text(&connection.response().await.json()), "said at last");
}

#[tokio::test]
async fn http_2_is_served_and_a_reset_is_a_cancellation() {
    let (site, work) = open().await;
    let mut client = http2(&site).await;
    // Two at once on one connection; the other one goes on.
    let form = "application/json, text/event-stream";
    let waiting = client.send_request(http2_call(&site, "silent", json!({}), form));
    let waiting = tokio::spawn(waiting);
    reached(&work.begun, 1).await;
    let answered = client.send_request(http2_call(&site, "forever", json!({}), form));
    let answered = tokio::spawn(answered);
    reached(&work.begun, 2).await;
    answered.abort();
    reached(&work.dropped, 1).await;
    work.gate.notify_one();
    let response = waiting.await.unwrap().unwrap();
    assert_eq!(response.status(), 200);
    let body = response.into_body().collect().await.unwrap().to_bytes();
    let message: serde_json::Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(text(&message), "said at last");
}

#[tokio::test]
async fn a_reset_stream_of_http_2_is_a_cancellation() {
    let (site, work) = open().await;
    let mut client = http2(&site).await;
    let response = client
        .send_request(http2_call(&site, "forever", json!({}), "text/event-stream"))
        .await;
    let response = response.unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    reached(&work.begun, 1).await;
    drop(response);
    reached(&work.dropped, 1).await;
}

/// A call may be dropped before and after its first await, and while it is being asked about.
#[tokio::test]
async fn many_clients_that_go_leave_nothing_behind() {
    let (server, work) = server();
    let site = Site::open(server.http()).await;
    let mut connections = Vec::new();
    for _ in 0..100 {
        let mut connection = site.connect().await;
        connection.send(&Post::call("forever", json!({}))).await;
        connections.push(connection);
    }
    reached(&work.begun, 100).await;
    drop(connections);
    reached(&work.dropped, 100).await;
    let Work { done, .. } = &*work;
    assert_eq!(done.load(Ordering::SeqCst), 0);
    let alive = site.send(&Post::call("echo", json!({"text": "x"}))).await;
    assert_eq!(text(&alive.json()), "x");
}
