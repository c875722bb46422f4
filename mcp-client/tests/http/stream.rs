//! Answers as streams of events.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::{CallOptions, Error};
use serde_json::json;
use tokio::time::timeout;

use crate::support::{builder, call, connect_listed, done, response};

#[tokio::test]
async fn progress_and_log_messages_come_before_the_answer() {
    let logged = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&logged);
    let builder = builder().on_log(mcp_client::protocol::LoggingLevel::Info, move |message| {
        log.lock().unwrap().push(message.data);
    });
    let (client, server) = connect_listed(builder).await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let reports = Arc::clone(&seen);
    let options =
        CallOptions::new().on_progress(move |report| reports.lock().unwrap().push(report.progress));
    let answered = async {
        let mut post = server.request("tools/call").await;
        let token = post.json()["params"]["_meta"]["progressToken"].clone();
        post.begin_stream().await;
        for progress in [1, 2] {
            let report = json!({"jsonrpc": "2.0", "method": "notifications/progress",
                "params": {"progressToken": token, "progress": progress}});
            post.write(format!(
                "event: message\nid: {progress}\ndata: {report}\n\n"
            ))
            .await;
        }
        let message = json!({"jsonrpc": "2.0", "method": "notifications/message",
            "params": {"level": "info", "data": "half way"}});
        post.write(format!(": still there\r\n\r\ndata: {message}\r\n\r\n"))
            .await;
        let answer = response(&post.id(), &done("ok"));
        post.write(format!("data: {answer}\n\n")).await;
    };
    let (called, ()) = tokio::join!(client.call_tool_with("t", json!({}), options), answered);
    assert_eq!(called.unwrap().text(), "ok");
    assert_eq!(*seen.lock().unwrap(), [1.0, 2.0]);
    let is_logged = async {
        while logged.lock().unwrap().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(Duration::from_secs(10), is_logged).await.unwrap();
    assert_eq!(*logged.lock().unwrap(), ["half way"]);
}

#[tokio::test]
async fn a_stream_may_be_cut_anywhere_and_say_other_things() {
    let (client, server) = connect_listed(builder()).await;
    let calling = call(&client, "t", json!({}));
    let mut post = server.request("tools/call").await;
    let answer = json!({"jsonrpc": "2.0", "id": post.id(), "result": done("é🎉")});
    // The answer over several lines, between comments, fields without meaning and other events.
    let answer = serde_json::to_string_pretty(&answer)
        .unwrap()
        .replace('\n', "\r\ndata: ");
    let stream = format!(
        "\u{feff}: hello\r\nretry: 10\r\nid: 5\r\n\r\nevent: ping\r\ndata: {{}}\r\n\r\nevent: endpoint\r\ndata: /x\r\n\r\ndata:\r\n\r\ndata: {answer}\r\n\r\n"
    );
    post.begin_stream().await;
    for bytes in stream.as_bytes().chunks(7) {
        post.write(bytes).await;
        tokio::task::yield_now().await;
    }
    assert_eq!(calling.await.unwrap().unwrap().text(), "é🎉");
    assert_eq!(client.skipped_lines(), 0);
}

#[tokio::test]
async fn nothing_is_waited_for_after_the_answer() {
    let (client, server) = connect_listed(builder()).await;
    let calling = call(&client, "t", json!({}));
    let mut post = server.request("tools/call").await;
    post.begin_stream().await;
    let answer = response(&post.id(), &done("ok"));
    post.write(format!("data: {answer}\n\n")).await;
    // The stream stays open.
    let called = timeout(Duration::from_secs(10), calling).await.unwrap();
    assert_eq!(called.unwrap().unwrap().text(), "ok");
    // It is given up after a moment.
    post.closed().await;
}

#[tokio::test]
async fn a_stream_that_ends_without_an_answer_is_an_error() {
    let (client, server) = connect_listed(builder().without_request_timeout()).await;
    for events in [
        "",
        ": hello\n\n",
        "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/unknown\"}\n\n",
        "data: {\"jsonrpc\":\"2.0\",\"id\":",
    ] {
        let calling = call(&client, "t", json!({}));
        server.request("tools/call").await.stream(events).await;
        let ended = timeout(Duration::from_secs(10), calling).await.unwrap();
        let error = ended.unwrap().unwrap_err();
        assert!(
            matches!(&error, Error::RequestFailed { status: Some(200), reason, .. } if reason.contains("ended before the answer")),
            "{error}"
        );
    }
}

#[tokio::test]
async fn what_is_no_message_is_skipped_and_requests_are_ignored() {
    let (client, server) = connect_listed(builder()).await;
    let calling = call(&client, "t", json!({}));
    let post = server.request("tools/call").await;
    let answer = response(&post.id(), &done("ok"));
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#;
    post.stream(format!(
        "data: hello\n\ndata: {request}\n\ndata: {answer}\n\n"
    ))
    .await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "ok");
    assert_eq!(client.skipped_lines(), 1);
    server.hears_nothing().await;
}

#[tokio::test]
async fn an_answer_to_another_request_fails_the_call() {
    let (client, server) = connect_listed(builder()).await;
    let calling = call(&client, "t", json!({}));
    let post = server.request("tools/call").await;
    post.stream("data: {\"jsonrpc\":\"2.0\",\"id\":999,\"result\":{}}\n\n")
        .await;
    let error = calling.await.unwrap().unwrap_err();
    assert!(matches!(error, Error::InvalidResult { .. }), "{error}");
}

#[tokio::test]
async fn an_error_in_a_stream_is_the_answer() {
    let (client, server) = connect_listed(builder()).await;
    for status in ["200 OK", "404 Not Found"] {
        let calling = call(&client, "t", json!({}));
        let post = server.request("tools/call").await;
        let error =
            json!({"jsonrpc": "2.0", "id": post.id(), "error": {"code": -32601, "message": "no"}});
        post.respond(
            status,
            "content-type: text/event-stream\r\n",
            format!("data: {error}\n\n"),
        )
        .await;
        assert_eq!(calling.await.unwrap().unwrap_err().code(), Some(-32601));
    }
}

#[tokio::test]
async fn calls_stream_side_by_side() {
    let (client, server) = connect_listed(builder()).await;
    let first = call(&client, "t", json!({}));
    let mut first_post = server.request("tools/call").await;
    first_post.begin_stream().await;
    let second = call(&client, "u", json!({}));
    server
        .request("tools/call")
        .await
        .reply(&done("second"))
        .await;
    assert_eq!(second.await.unwrap().unwrap().text(), "second");
    let answer = response(&first_post.id(), &done("first"));
    first_post.write(format!("data: {answer}\n\n")).await;
    assert_eq!(first.await.unwrap().unwrap().text(), "first");
}
