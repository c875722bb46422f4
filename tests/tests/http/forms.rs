//! The form of an answer: JSON or a stream of events, and what keeps a stream alive.

use std::time::Duration;

use mcp_tests::{
    web::{Post, Site, events},
    wire::text,
};
use serde_json::{Value, json};

use crate::{open, reached, server};

const BOTH: &str = "application/json, text/event-stream";

#[tokio::test]
async fn a_call_that_sends_something_first_is_answered_with_a_stream() {
    let (site, work) = open().await;
    let mut connection = site.connect().await;
    connection
        .send(&Post::reporting_call("gated", json!({})))
        .await;
    let head = connection.head().await;
    assert_eq!(head.status, 200);
    assert!(head.is_stream());
    assert_eq!(head.header("x-accel-buffering"), Some("no"));
    assert!(head.header("cache-control").unwrap().contains("no-cache"));
    // The first report is there while the call still waits.
    let first = events(&connection.chunk().await.unwrap());
    assert_eq!(first[0]["params"]["progress"], 1.0);
    work.gate.notify_one();
    let mut rest = String::new();
    while let Some(chunk) = connection.chunk().await {
        rest.push_str(&chunk);
    }
    let rest = events(&rest);
    let methods: Vec<&Value> = rest.iter().map(|message| &message["method"]).collect();
    assert_eq!(
        methods,
        [
            &json!("notifications/message"),
            &json!("notifications/progress"),
            &Value::Null
        ]
    );
    assert_eq!(rest[0]["params"]["data"], "half\nway");
    assert_eq!(text(&rest[2]), "through\nthe gate");
    assert_eq!(rest[2]["id"], 7);
    // And the connection goes on.
    connection
        .send(&Post::call("echo", json!({"text": "next"})))
        .await;
    assert_eq!(text(&connection.response().await.json()), "next");
}

#[tokio::test]
async fn reports_of_a_call_that_ends_at_once_come_before_its_result() {
    let (site, _) = open().await;
    let response = site.send(&Post::reporting_call("eager", json!({}))).await;
    assert!(response.head.header("content-length").is_some());
    let messages = response.messages();
    assert_eq!(messages[0]["method"], "notifications/progress");
    assert_eq!(text(&messages[1]), "at once");
    assert_eq!(messages.len(), 2);
}

#[tokio::test]
async fn the_client_says_which_form_it_takes() {
    let (site, work) = open().await;
    for (accept, is_stream) in [
        (Some("application/json"), false),
        (Some("application/*"), false),
        (Some("Application/JSON;q=0.9, text/html"), false),
        (Some("*/*, text/event-stream;q=0"), false),
        (Some("text/event-stream"), true),
        (Some("text/*"), true),
        (Some("application/json;q=0, */*"), true),
        (Some("*/*"), true),
        (Some(BOTH), true),
        (None, true),
    ] {
        let mut post = Post::reporting_call("gated", json!({})).without("Accept");
        if let Some(accept) = accept {
            post = post.with("Accept", accept);
        }
        work.gate.notify_one();
        let response = site.send(&post).await;
        assert_eq!(response.head.status, 200, "{accept:?}");
        if is_stream {
            assert_eq!(response.messages().len(), 4, "{accept:?}");
        } else {
            assert_eq!(text(&response.json()), "through\nthe gate", "{accept:?}");
        }
    }
    // Without reports it is JSON where that is taken.
    for (accept, is_stream) in [("*/*", false), (BOTH, false), ("text/event-stream", true)] {
        let post = Post::call("echo", json!({"text": "x"})).with("Accept", accept);
        assert_eq!(
            site.send(&post).await.head.is_stream(),
            is_stream,
            "{accept}"
        );
    }
    for accept in [
        "text/html",
        "image/*, text/plain",
        "application/json;q=0, text/event-stream;q=0",
    ] {
        let post = Post::call("echo", json!({"text": "x"})).with("Accept", accept);
        assert_eq!(site.send(&post).await.refusal(), (406, -32600), "{accept}");
    }
}

#[tokio::test]
async fn a_message_is_json_whatever_its_charset_and_case() {
    let (site, _) = open().await;
    for (kind, status) in [
        (Some("Application/JSON; charset=UTF-8"), 200),
        (Some("application/json;charset=\"utf-8\""), 200),
        (Some("text/plain"), 415),
        (Some("multipart/form-data; boundary=x"), 415),
        (Some("application/jsonx"), 415),
        (None, 415),
    ] {
        let mut post = Post::call("echo", json!({"text": "x"})).without("Content-Type");
        if let Some(kind) = kind {
            post = post.with("Content-Type", kind);
        }
        let response = site.send(&post).await;
        assert_eq!(response.head.status, status, "{kind:?}");
        if status == 415 {
            assert_eq!(response.refusal(), (415, -32600));
        }
    }
}

#[tokio::test]
async fn a_stream_can_be_had_in_any_case() {
    let (server, work) = server();
    let site = Site::open(server.http().always_stream(true)).await;
    let messages = site
        .send(&Post::call("echo", json!({"text": "x"})))
        .await
        .messages();
    assert_eq!((messages.len(), text(&messages[0])), (1, "x"));
    let json = Post::call("echo", json!({"text": "x"})).with("Accept", "application/json");
    assert_eq!(text(&site.send(&json).await.json()), "x");
    // No stream begins for what is refused: the status tells it.
    assert_eq!(
        site.send(&Post::request("ping", json!({}))).await.refusal(),
        (404, -32601)
    );
    let mut connection = site.connect().await;
    connection.send(&Post::call("silent", json!({}))).await;
    assert!(connection.head().await.is_stream());
    // Its first bytes come at once, although there is nothing to say.
    assert_eq!(connection.chunk().await.unwrap(), ":\n\n");
    work.gate.notify_one();
    assert_eq!(
        text(&events(&connection.chunk().await.unwrap())[0]),
        "said at last"
    );
    assert_eq!(connection.chunk().await, None);
}

/// Proxies close what is silent for long.
#[tokio::test]
async fn a_silent_call_becomes_a_stream_with_comments() {
    let (server, work) = server();
    let every = Duration::from_millis(50);
    let site = Site::open(server.http().keep_alive(every)).await;
    let mut connection = site.connect().await;
    connection.send(&Post::call("silent", json!({}))).await;
    assert!(connection.head().await.is_stream());
    for _ in 0..4 {
        assert_eq!(connection.chunk().await.unwrap(), ":\n\n");
    }
    work.gate.notify_one();
    let mut last = String::new();
    while let Some(chunk) = connection.chunk().await {
        last = chunk;
    }
    assert_eq!(text(&events(&last)[0]), "said at last");
    // Nothing keeps a stream alive that has ended.
    connection.assert_silent(4 * every).await;
}

#[tokio::test]
async fn a_client_that_takes_only_json_waits() {
    let (server, work) = server();
    let site = Site::open(server.http().keep_alive(Duration::from_millis(30))).await;
    let mut connection = site.connect().await;
    let post = Post::reporting_call("gated", json!({})).with("Accept", "application/json");
    connection.send(&post).await;
    reached(&work.begun, 1).await;
    connection.assert_silent(Duration::from_millis(150)).await;
    work.gate.notify_one();
    assert_eq!(
        text(&connection.response().await.json()),
        "through\nthe gate"
    );
}
