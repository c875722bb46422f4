//! Requests that get no answer: each fails alone, at once, and says why.

use std::time::Duration;

use mcp_client::{CallOptions, Error, HttpTransport};
use serde_json::json;
use tokio::time::timeout;

use crate::support::{
    Server, builder, call, connect_listed, connect_to, done, list, response, tool,
};

fn failed(error: Error) -> (Option<u16>, String) {
    match error {
        Error::RequestFailed {
            method,
            status,
            reason,
        } => {
            assert_eq!(method, "tools/call");
            (status, reason)
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_status_without_a_message_is_named_and_quoted() {
    let (client, server) = connect_listed(builder()).await;
    for (status, headers, body, expected) in [
        ("500 Internal Server Error", "", "", "500"),
        (
            "500 Internal Server Error",
            "content-type: application/json\r\n",
            "{}",
            "500",
        ),
        (
            "502 Bad Gateway",
            "content-type: text/html\r\n",
            "<h1>\r\nBad  Gateway</h1>",
            "502 Bad Gateway: <h1> Bad Gateway</h1>",
        ),
        (
            "404 Not Found",
            "content-type: text/plain\r\n",
            "no such page",
            "no such page",
        ),
        // In JSON-RPC, but to no request.
        (
            "404 Not Found",
            "content-type: application/json\r\n",
            r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"nothing is here"}}"#,
            "404 Not Found: nothing is here",
        ),
        (
            "200 OK",
            "content-type: text/html\r\n",
            "<p>Log in</p>",
            "text/html",
        ),
        ("200 OK", "", "", "without a message"),
        ("204 No Content", "", "", "204"),
    ] {
        let calling = call(&client, "t", json!({}));
        let post = server.request("tools/call").await;
        let code = status[..3].parse().unwrap();
        post.respond(status, headers, body).await;
        let (status, reason) = failed(calling.await.unwrap().unwrap_err());
        assert_eq!(status, Some(code));
        assert!(reason.contains(expected), "{reason}");
    }
    // The handle is as good as before.
    let calling = call(&client, "t", json!({}));
    server.request("tools/call").await.reply(&done("ok")).await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "ok");
}

#[tokio::test]
async fn acceptance_is_no_answer_to_a_request_whatever_its_body() {
    let (client, server) = connect_listed(builder()).await;
    let calling = call(&client, "t", json!({}));
    let post = server.request("tools/call").await;
    post.respond("202 Accepted", "content-type: text/plain\r\n", "Accepted")
        .await;
    let (status, reason) = failed(calling.await.unwrap().unwrap_err());
    assert_eq!(status, Some(202), "{reason}");
}

#[tokio::test]
async fn an_unreachable_server_is_said_at_once() {
    let server = Server::start().await;
    let url = server.url("/mcp?key=hunter2");
    drop(server);
    let connecting = builder().connect(HttpTransport::new(url));
    let error = timeout(Duration::from_secs(10), connecting)
        .await
        .unwrap()
        .unwrap_err();
    let text = error.to_string();
    assert!(
        matches!(error, Error::RequestFailed { status: None, .. }),
        "{text}"
    );
    assert!(
        text.contains("could not connect") && text.contains("refused"),
        "{text}"
    );
    assert!(!text.contains("hunter2"), "{text}");
}

#[tokio::test]
async fn pending_calls_fail_at_once_when_the_server_dies() {
    let (client, server) = connect_listed(builder().without_request_timeout()).await;
    let waiting = call(&client, "t", json!({}));
    let unanswered = server.request("tools/call").await;
    let streaming = call(&client, "u", json!({}));
    let mut streamed = server.request("tools/call").await;
    streamed.write("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n4\r\n: x\n\r\n").await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    drop((unanswered, streamed));
    for calling in [waiting, streaming] {
        let ended = timeout(Duration::from_secs(10), calling).await.unwrap();
        failed(ended.unwrap().unwrap_err());
    }
    assert!(
        !client.is_closed(),
        "there is no connection that could have ended"
    );

    let calling = call(&client, "t", json!({}));
    server
        .request("tools/call")
        .await
        .reply(&done("back"))
        .await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "back");
    drop(server);
    failed(client.call_tool("t", json!({})).await.unwrap_err());
}

#[tokio::test]
async fn a_body_that_breaks_off_is_no_answer() {
    let (client, server) = connect_listed(builder()).await;
    let calling = call(&client, "t", json!({}));
    let mut post = server.request("tools/call").await;
    post.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{\"jsonrpc\"").await;
    drop(post);
    let (status, reason) = failed(calling.await.unwrap().unwrap_err());
    assert_eq!(status, Some(200));
    assert!(reason.contains("broke off"), "{reason}");
}

#[tokio::test]
async fn a_message_beyond_the_limit_fails_its_call_with_the_limit() {
    let server = Server::start().await;
    let transport = HttpTransport::new(server.url("/mcp")).max_message(2000);
    let client = connect_to(&server, builder(), transport).await;
    list(&client, &server, json!([tool("t", json!({}))])).await;
    for (streamed, size, fits) in [
        (false, 1000, true),
        (true, 1000, true),
        (false, 3000, false),
        (true, 3000, false),
    ] {
        let calling = call(&client, "t", json!({}));
        let post = server.request("tools/call").await;
        let message = response(&post.id(), &done(&"x".repeat(size)));
        if streamed {
            post.stream(format!("data: {message}\n\n")).await;
        } else {
            post.respond("200 OK", "content-type: application/json\r\n", message)
                .await;
        }
        match calling.await.unwrap() {
            Ok(called) => assert!(fits && called.text().len() == size),
            Err(error) => {
                assert!(!fits);
                assert!(
                    matches!(error, Error::TooLong { limit: 2000, .. }),
                    "{error}"
                );
                assert!(error.to_string().contains("max_message"), "{error}");
            }
        }
    }
}

#[tokio::test]
async fn a_stream_without_a_line_end_is_cut_at_the_limit() {
    let server = Server::start().await;
    let transport = HttpTransport::new(server.url("/mcp")).max_message(100_000);
    let client = connect_to(&server, builder(), transport).await;
    list(&client, &server, json!([tool("t", json!({}))])).await;
    let calling = call(&client, "t", json!({}));
    let mut post = server.request("tools/call").await;
    post.begin_stream().await;
    post.write(format!("data: {}", "x".repeat(110_000))).await;
    // The connection stays open: nobody waits for the line's end.
    let error = timeout(Duration::from_secs(10), calling)
        .await
        .unwrap()
        .unwrap()
        .unwrap_err();
    assert!(
        matches!(error, Error::TooLong { limit: 100_000, .. }),
        "{error}"
    );
    post.closed().await;
}

#[tokio::test]
async fn two_mebibytes_are_no_problem() {
    let (client, server) = connect_listed(builder()).await;
    let text = "x".repeat(2 * 1024 * 1024);
    let calling = call(&client, "t", json!({}));
    let post = server.request("tools/call").await;
    let message = response(&post.id(), &done(&text));
    post.stream(format!("data: {message}\n\n")).await;
    assert_eq!(calling.await.unwrap().unwrap().text().len(), text.len());
    let calling = call(&client, "t", json!({}));
    server.request("tools/call").await.reply(&done(&text)).await;
    assert_eq!(calling.await.unwrap().unwrap().text().len(), text.len());
}

#[tokio::test]
async fn a_connection_that_is_not_made_in_time_is_an_error() {
    // It takes the connection, and says nothing to the client's TLS.
    let silent = Server::start().await;
    let url = silent.url("/mcp").replace("http:", "https:");
    let transport = HttpTransport::new(url).connect_timeout(Duration::from_millis(200));
    let connecting = timeout(Duration::from_secs(10), builder().connect(transport));
    let error = connecting.await.unwrap().unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("could not connect") && text.contains("timed out"),
        "{text}"
    );
}

#[tokio::test]
async fn a_request_times_out_as_on_any_transport_and_its_stream_is_closed() {
    let (client, server) = connect_listed(builder()).await;
    let options = CallOptions::new().request_timeout(Duration::from_millis(100));
    let silent = async {
        let mut post = server.request("tools/call").await;
        post.begin_stream().await;
        post.closed().await
    };
    let (called, sent) = tokio::join!(client.call_tool_with("t", json!({}), options), silent);
    let error = called.unwrap_err();
    assert!(matches!(error, Error::Timeout { .. }), "{error}");
    assert_eq!(sent, b"", "nothing is sent to cancel");
    server.hears_nothing().await;
}
