//! The listener: where the endpoint is, and how serving ends.

use std::{sync::atomic::Ordering, time::Duration};

use mcp_tests::{
    web::{Post, Site},
    wire::text,
};
use serde_json::json;

use crate::{open, reached, server, server_of};

fn echo() -> Post {
    Post::call("echo", json!({"text": "x"}))
}

#[tokio::test]
async fn the_endpoint_has_two_spellings_and_no_redirect() {
    let (site, _) = open().await;
    for (path, status) in [
        ("/mcp", 200),
        ("/mcp/", 200),
        ("/mcp?a=b", 200),
        ("/", 404),
        ("/mcp//", 404),
        ("/mcp/x", 404),
        ("/MCP", 404),
    ] {
        let response = site.send(&echo().path(path)).await;
        assert_eq!(response.head.status, status, "{path}");
        if status == 404 {
            assert_eq!(response.refusal(), (404, -32600), "{path}");
            assert!(response.body.contains("`/mcp`"), "{}", response.body);
        }
    }
}

#[tokio::test]
async fn the_path_can_be_chosen() {
    let (server, _) = server();
    let site = Site::open(server.http().path("/api/shop/")).await;
    for (path, status) in [("/api/shop", 200), ("/api/shop/", 200), ("/mcp", 404)] {
        assert_eq!(
            site.send(&echo().path(path)).await.head.status,
            status,
            "{path}"
        );
    }
    let site = Site::open(server.http().path("/")).await;
    for (path, status) in [("/", 200), ("/mcp", 404)] {
        assert_eq!(
            site.send(&echo().path(path)).await.head.status,
            status,
            "{path}"
        );
    }
}

#[tokio::test]
async fn the_simple_way_serves_until_it_is_dropped() {
    let (server, _) = server();
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let serving = tokio::spawn(async move { server.serve_http(("127.0.0.1", port)).await });
    for _ in 0..200 {
        if tokio::net::TcpStream::connect(("127.0.0.1", port))
            .await
            .is_ok()
        {
            serving.abort();
            assert!(serving.await.unwrap_err().is_cancelled());
            assert!(
                tokio::net::TcpStream::connect(("127.0.0.1", port))
                    .await
                    .is_err()
            );
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("nobody listens");
}

#[tokio::test]
async fn an_address_that_is_taken_is_an_error() {
    let (server, _) = server();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let error = server
        .serve_http(taken.local_addr().unwrap())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::AddrInUse);
}

#[tokio::test]
async fn at_the_end_calls_may_finish_and_nothing_new_begins() {
    let (mut site, work) = open().await;
    let mut idle = site.connect().await;
    idle.send(&echo()).await;
    assert_eq!(idle.response().await.head.status, 200);
    let (mut json, mut stream) = (site.connect().await, site.connect().await);
    json.send(&Post::call("silent", json!({}))).await;
    stream.send(&Post::reporting_call("gated", json!({}))).await;
    reached(&work.begun, 2).await;
    site.stop();
    idle.closed().await;
    assert!(tokio::net::TcpStream::connect(site.address).await.is_err());
    work.gate.notify_waiters();
    assert_eq!(text(&json.response().await.json()), "said at last");
    let messages = stream.response().await.messages();
    assert_eq!(text(messages.last().unwrap()), "through\nthe gate");
    site.ended().await;
}

#[tokio::test]
async fn what_does_not_finish_in_time_is_dropped() {
    let (mut site, work) = open().await;
    let mut connection = site.connect().await;
    connection.send(&Post::call("forever", json!({}))).await;
    reached(&work.begun, 1).await;
    site.stop();
    connection.closed().await;
    reached(&work.dropped, 1).await;
    site.ended().await;
}

#[tokio::test]
async fn calls_that_have_claimed_something_are_waited_for_longer() {
    let (mut site, work) = open().await;
    let mut connection = site.connect().await;
    connection
        .send(&Post::call("pay", json!({"order": "A"})))
        .await;
    reached(&work.begun, 1).await;
    site.stop();
    // Past the first grace period the client is let go, and the effect is not.
    connection.closed().await;
    assert_eq!(work.done.load(Ordering::SeqCst), 0);
    work.gate.notify_one();
    site.ended().await;
    assert_eq!(work.done.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn claimed_calls_are_not_waited_for_for_ever() {
    let work = std::sync::Arc::default();
    let server = server_of(&work)
        .claimed_grace(Duration::from_millis(100))
        .build()
        .unwrap();
    let mut site = Site::open(server.http()).await;
    let mut connection = site.connect().await;
    connection
        .send(&Post::call("pay", json!({"order": "A"})))
        .await;
    reached(&work.begun, 1).await;
    site.stop();
    site.ended().await;
    assert_eq!(work.done.load(Ordering::SeqCst), 0);
}

/// Each stream of HTTP/2 is a task of its own, which ends a moment after its connection.
#[tokio::test]
async fn claimed_calls_of_http_2_are_waited_for_as_well() {
    let (mut site, work) = open().await;
    let mut client = crate::http2(&site).await;
    let call = crate::http2_call(&site, "pay", json!({"order": "A"}), "application/json");
    let waiting = tokio::spawn(client.send_request(call));
    reached(&work.begun, 1).await;
    site.stop();
    assert!(waiting.await.unwrap().is_err());
    assert_eq!(work.done.load(Ordering::SeqCst), 0);
    work.gate.notify_one();
    site.ended().await;
    assert_eq!(work.done.load(Ordering::SeqCst), 1);
}
