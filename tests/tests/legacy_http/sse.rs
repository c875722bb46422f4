//! The transport of 2024-11-05: one stream for all that the server says, and a POST for each message.

use std::{sync::Arc, time::Duration};

use mcp_tests::web::{Post, Site};
use serde_json::{Value, json};

use crate::{
    old::{Event, Events, Old, call, initialize, open, open_with, post, request, text},
    reached,
};

const OLDEST: &str = "2024-11-05";

/// A client, which reads its stream.
struct Stream {
    site: Arc<Site>,
    events: Events,
    endpoint: String,
}

fn get() -> Post {
    let get = post(&Value::Null).verb("GET").without("Content-Type");
    get.with("Accept", "text/event-stream")
}

impl Stream {
    async fn open(site: &Arc<Site>) -> Self {
        let client = Old {
            site: Arc::clone(site),
            session: String::new(),
            revision: OLDEST,
        };
        let mut events = client.open(&get(), None).await;
        let Event { kind, data, .. } = events.next().await.unwrap();
        assert_eq!(kind, "endpoint");
        assert!(data.starts_with("/mcp?sessionId="), "{data}");
        Self {
            site: Arc::clone(site),
            events,
            endpoint: data,
        }
    }

    async fn begin(site: &Arc<Site>) -> Self {
        let mut stream = Self::open(site).await;
        assert_eq!(stream.send(&initialize(OLDEST)).await, 202);
        let (_, answer) = stream.events.message().await;
        assert_eq!(answer["result"]["protocolVersion"], OLDEST);
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(stream.send(&initialized).await, 202);
        stream
    }

    /// Sends a message, and gives the status.
    async fn send(&self, message: &Value) -> u16 {
        let response = self.site.send(&post(message).path(&self.endpoint)).await;
        response.head.status
    }
}

#[tokio::test]
async fn everything_is_answered_on_the_stream() {
    let (site, work) = open().await;
    let mut client = Stream::begin(&site).await;
    assert_eq!(client.send(&request(1, "ping", json!({}))).await, 202);
    assert_eq!(client.events.message().await.1["result"], json!({}));
    assert_eq!(client.send(&call(2, "gated", json!({}))).await, 202);
    assert_eq!(text(&client.events.message().await.1), "before");
    assert_eq!(
        client.send(&call(3, "echo", json!({"text": "x"}))).await,
        202
    );
    assert_eq!(client.events.message().await.1["id"], 3);
    reached(&work.begun, 1).await;
    work.gate.notify_one();
    assert_eq!(text(&client.events.message().await.1), "after");
    let (_, answer) = client.events.message().await;
    assert_eq!(
        (&answer["id"], &*text(&answer)),
        (&json!(2), "through the gate")
    );
    // What is no message has no id that an answer on the stream could have.
    assert_eq!(client.send(&json!({"jsonrpc": "1.0"})).await, 400);
}

#[tokio::test]
async fn its_end_is_that_of_the_session() {
    let (site, work) = open().await;
    let client = Stream::begin(&site).await;
    client.send(&call(1, "silent", json!({}))).await;
    reached(&work.begun, 1).await;
    let Stream {
        events, endpoint, ..
    } = client;
    drop(events);
    reached(&work.dropped, 1).await;
    let ping = post(&request(1, "ping", json!({})));
    assert_eq!(
        site.send(&ping.clone().path(&endpoint)).await.head.status,
        404
    );
    for unknown in ["/mcp?sessionId=", "/mcp?sessionId=x&a=b"] {
        assert_eq!(
            site.send(&ping.clone().path(unknown)).await.head.status,
            404
        );
    }
}

#[tokio::test]
async fn it_counts_among_the_sessions() {
    let (site, _) = open_with(|http| http.max_sessions(2)).await;
    let mut first = Stream::begin(&site).await;
    let _second = Stream::begin(&site).await;
    let third = Stream::begin(&site).await;
    // Nobody was idle, so the first one had to go.
    assert_eq!(first.events.next().await, None);
    assert_eq!(third.send(&request(1, "ping", json!({}))).await, 202);
}

#[tokio::test]
async fn it_is_guarded_and_bounded() {
    let (site, _) = open_with(|http| http.keep_alive(Duration::from_millis(30))).await;
    let client = Stream::begin(&site).await;
    for request in [
        get(),
        post(&request(1, "ping", json!({}))).path(&client.endpoint),
    ] {
        for (name, value) in [
            ("Host", "evil.example.com"),
            ("Origin", "http://evil.example.com"),
        ] {
            let response = site.send(&request.clone().with(name, value)).await;
            assert_eq!(response.refusal(), (403, -32600));
        }
    }
    let response = site.send(&get().with("Accept", "application/json")).await;
    assert_eq!(response.refusal(), (406, -32600));
    // One who writes and does not read is told so, before too much waits for them.
    let large = call(1, "echo", json!({"text": "x".repeat(1 << 20)}));
    let mut status = 202;
    for _ in 0..64 {
        status = client.send(&large).await;
        if status != 202 {
            break;
        }
    }
    assert_eq!(status, 429);
}

#[tokio::test]
async fn it_ends_with_the_server() {
    let (mut site, _) = open().await;
    let mut client = Stream::begin(&site).await;
    let Stream { site: own, .. } = &client;
    assert!(Arc::ptr_eq(own, &site));
    client.site = Arc::new(Site::open(crate::server().0.http()).await);
    Arc::get_mut(&mut site).unwrap().stop();
    assert_eq!(client.events.next().await, None);
    Arc::into_inner(site).unwrap().ended().await;
}

/// What is accepted for a POST is not what the stream is.
#[tokio::test]
async fn the_response_to_a_post_says_nothing() {
    let (site, work) = open().await;
    let mut client = Stream::begin(&site).await;
    for (count, form) in (1..).zip(["application/json", "text/plain", "text/event-stream"]) {
        let call = post(&call(1, "silent", json!({}))).path(&client.endpoint);
        let response = site.send(&call.with("Accept", form)).await;
        assert_eq!((response.head.status, &*response.body), (202, ""), "{form}");
        reached(&work.begun, count).await;
        work.gate.notify_one();
        assert_eq!(text(&client.events.message().await.1), "said at last");
    }
    let ping = post(&request(1, "ping", json!({}))).path(&client.endpoint);
    let odd = ping.with("MCP-Protocol-Version", "1999-01-01");
    assert_eq!(site.send(&odd).await.head.status, 400);
}

/// A client that has lost its session opens no stream of this kind.
#[tokio::test]
async fn who_names_a_version_has_another_transport() {
    let (site, _) = open().await;
    for version in ["2025-11-25", "1999-01-01"] {
        let get = get().with("MCP-Protocol-Version", version);
        assert_eq!(site.send(&get).await.refusal(), (400, -32600));
    }
}

/// A client of 2025-03-26 may send batches here, too.
#[tokio::test]
async fn batches_are_taken_apart() {
    let (site, _) = open().await;
    let mut client = Stream::open(&site).await;
    assert_eq!(client.send(&initialize("2025-03-26")).await, 202);
    client.events.message().await;
    let batch = json!([
        request(1, "ping", json!({})),
        call(2, "echo", json!({"text": "x"}))
    ]);
    assert_eq!(client.send(&batch).await, 202);
    assert_eq!(client.events.message().await.1["id"], 1);
    assert_eq!(text(&client.events.message().await.1), "x");
}
