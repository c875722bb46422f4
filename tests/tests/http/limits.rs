//! What is too large or too slow, and that it stops nobody else.

use std::{
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use mcp_server::prelude::*;
use mcp_tests::{
    web::{Post, Site},
    wire::text,
};
use serde_json::json;

use crate::{echo, server};

/// A server that takes messages of at most 1000 bytes.
async fn small() -> Site {
    let server = Server::builder("shop", "1.0.0").tools(tools![echo]);
    Site::open(server.max_message_bytes(1000).build().unwrap().http()).await
}

/// A message of this length.
fn of_length(length: usize) -> Post {
    let message = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
        "name": "echo", "arguments": {"text": ""}, "_meta": crate::meta(|_| ()),
    }})
    .to_string();
    let text = "x".repeat(length - message.len());
    let message = message.replace(r#""text":"""#, &format!(r#""text":"{text}""#));
    assert_eq!(message.len(), length);
    Post::bytes(message)
        .with("Mcp-Method", "tools/call")
        .with("Mcp-Name", "echo")
}

#[tokio::test]
async fn a_message_past_the_limit_is_refused_and_the_limit_is_named() {
    let site = small().await;
    for chunked in [false, true] {
        let post = |length| {
            let post = of_length(length);
            if chunked {
                post.with("Transfer-Encoding", "chunked")
            } else {
                post
            }
        };
        assert_eq!(site.send(&post(1000)).await.head.status, 200);
        for length in [1001, 100_000] {
            let response = site.send(&post(length)).await;
            assert_eq!(response.refusal(), (413, -32600), "{chunked} {length}");
            let message = response.json()["error"]["message"].to_string();
            assert!(message.contains("1000") && message.contains("max_message_bytes"));
        }
    }
}

/// Nothing of it is waited for.
#[tokio::test]
async fn a_length_past_the_limit_is_refused_before_the_body_is_there() {
    let site = small().await;
    let mut connection = site.connect().await;
    let post = of_length(5000).to_bytes();
    let head = post.windows(4).position(|end| end == b"\r\n\r\n").unwrap() + 4;
    assert!(connection.write(&post[..head]).await);
    assert_eq!(connection.head().await.status, 413);
}

/// The limit of frameworks around this one, two mebibytes, is not ours.
#[tokio::test]
async fn three_mebibytes_are_no_trouble() {
    let (server, _) = server();
    let site = Site::open(server.http()).await;
    let response = site.send(&of_length(3 << 20)).await;
    assert_eq!(response.head.status, 200);
    assert!(text(&response.json()).len() > 3 << 19);
}

#[tokio::test]
async fn a_body_that_does_not_arrive_is_not_waited_for_for_ever() {
    let (server, _) = server();
    let site = Site::open(server.http().read_timeout(Duration::from_millis(200))).await;
    let mut connection = site.connect().await;
    let post = of_length(500).to_bytes();
    assert!(connection.write(&post[..post.len() - 5]).await);
    let response = connection.response().await;
    assert_eq!(response.refusal(), (408, -32600));
    assert!(response.body.contains("read_timeout"));
}

#[tokio::test]
async fn headers_that_do_not_arrive_and_connections_without_a_request_are_closed() {
    let (server, _) = server();
    let site = Site::open(server.http().read_timeout(Duration::from_millis(200))).await;
    let (mut slow, mut empty, mut one) = (
        site.connect().await,
        site.connect().await,
        site.connect().await,
    );
    assert!(slow.write(b"POST /mcp HTTP/1.1\r\nHost: local").await);
    assert!(one.write(b"P").await);
    let began = Instant::now();
    slow.closed().await;
    empty.closed().await;
    one.closed().await;
    assert!(began.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn slow_writers_and_idle_connections_stop_nobody() {
    let (server, _) = server();
    let site = Site::open(server.http()).await;
    let mut others = Vec::new();
    for _ in 0..200 {
        others.push(site.connect().await);
    }
    let post = of_length(400).to_bytes();
    let mut writers = Vec::new();
    for _ in 0..10 {
        let (mut connection, post) = (site.connect().await, post.clone());
        writers.push(tokio::spawn(async move {
            for byte in post.chunks(20) {
                connection.write(byte).await;
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            connection.response().await.head.status
        }));
    }
    let began = Instant::now();
    let mut fast = site.connect().await;
    for _ in 0..50 {
        fast.send(&Post::call("echo", json!({"text": "x"}))).await;
        assert_eq!(fast.response().await.head.status, 200);
    }
    let fast = began.elapsed();
    for writer in writers {
        assert_eq!(writer.await.unwrap(), 200);
    }
    // The slow ones took at least so long.
    assert!(began.elapsed() > Duration::from_millis(400));
    assert!(fast < began.elapsed());
}

/// Answers are never left out, and neither do they pile up for a client that does not read.
#[tokio::test]
async fn a_client_that_does_not_read_stops_nobody() {
    let (server, _) = server();
    let site = Site::open(server.http()).await;
    let mut lazy = Vec::new();
    for _ in 0..5 {
        let mut connection = site.connect().await;
        connection.send(&of_length(4 << 20)).await;
        lazy.push(connection);
    }
    let response = site.send(&Post::call("echo", json!({"text": "x"}))).await;
    assert_eq!(text(&response.json()), "x");
    for mut connection in lazy {
        assert!(connection.response().await.body.len() > 4 << 19);
    }
}

/// Says more than any connection holds, and is done.
#[tool]
async fn torrent(work: State<crate::Work>, ctx: Context) -> &'static str {
    let text = "x".repeat(64 * 1024);
    for _ in 0..500 {
        ctx.log(mcp_server::LoggingLevel::Info, &text);
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    work.done.fetch_add(1, Ordering::SeqCst);
    "done"
}

/// A client that does not read cannot hold a call, and what the call holds, past its time limit.
#[tokio::test]
async fn a_client_that_does_not_read_does_not_stop_its_call() {
    let work = std::sync::Arc::default();
    let server = crate::server_of(&work)
        .tools(tools![torrent])
        .build()
        .unwrap();
    let site = Site::open(server.http()).await;
    let mut connection = site.connect().await;
    connection
        .send(&Post::reporting_call("torrent", json!({})))
        .await;
    assert!(connection.head().await.is_stream());
    crate::reached(&work.done, 1).await;
    // What was too much is left out, and the answer is not.
    let mut last = String::new();
    while let Some(chunk) = connection.chunk().await {
        last = chunk;
    }
    let messages = mcp_tests::web::events(&last);
    assert_eq!(text(messages.last().unwrap()), "done");
}
