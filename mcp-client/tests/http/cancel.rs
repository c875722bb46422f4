//! To take a request back is to close its stream.

use std::time::Duration;

use mcp_client::{CallOptions, Error};
use serde_json::json;
use tokio::time::timeout;

use crate::support::{builder, call, connect_listed, done};

#[tokio::test]
async fn dropping_a_call_closes_its_stream_and_sends_nothing() {
    let (client, server) = connect_listed(builder()).await;
    for streamed in [false, true] {
        let calling = call(&client, "t", json!({}));
        let mut post = server.request("tools/call").await;
        if streamed {
            post.begin_stream().await;
            post.write(": hello\n\n").await;
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        calling.abort();
        assert_eq!(post.closed().await, b"");
        server.hears_nothing().await;
    }
    // Others go on.
    let calling = call(&client, "t", json!({}));
    server.request("tools/call").await.reply(&done("ok")).await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "ok");
}

#[tokio::test]
async fn an_overall_deadline_closes_the_stream() {
    let (client, server) = connect_listed(builder()).await;
    let options = CallOptions::new().overall_deadline(Duration::from_millis(100));
    let silent = async { server.request("tools/call").await.closed().await };
    let (called, _) = tokio::join!(client.call_tool_with("t", json!({}), options), silent);
    assert!(matches!(called, Err(Error::Deadline { .. })));
}

#[tokio::test]
async fn progress_extends_the_timeout_up_to_its_ceiling() {
    let (client, server) = connect_listed(builder()).await;
    let options = CallOptions::new()
        .request_timeout(Duration::from_millis(150))
        .progress_extends_timeout(Duration::from_millis(600));
    let reporting = async {
        let mut post = server.request("tools/call").await;
        let token = post.json()["params"]["_meta"]["progressToken"].clone();
        post.begin_stream().await;
        let started = tokio::time::Instant::now();
        for progress in 0.. {
            let report = json!({"jsonrpc": "2.0", "method": "notifications/progress",
                "params": {"progressToken": token, "progress": progress}});
            let event = format!("data: {report}\n\n");
            if post.try_write(event.as_bytes()).await.is_err() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
        started.elapsed()
    };
    let (called, lasted) = tokio::join!(client.call_tool_with("t", json!({}), options), reporting);
    assert!(matches!(called, Err(Error::Timeout { .. })), "{called:?}");
    assert!(lasted > Duration::from_millis(400), "{lasted:?}");
}

#[tokio::test]
async fn closing_the_client_ends_every_request() {
    let (client, server) = connect_listed(builder().without_request_timeout()).await;
    let calling = call(&client, "t", json!({}));
    let post = server.request("tools/call").await;
    timeout(Duration::from_secs(10), client.close())
        .await
        .unwrap();
    assert!(matches!(calling.await.unwrap(), Err(Error::Closed { .. })));
    post.closed().await;
    let error = client.call_tool("t", json!({})).await.unwrap_err();
    assert!(matches!(error, Error::Closed { .. }), "{error}");
}
