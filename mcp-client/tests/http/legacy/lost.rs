//! Sessions that a server does not know any more, and what is something else.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use mcp_client::transport::http::{Authorize, Challenge, HeaderMap, Verdict};
use mcp_client::{Client, Error, HandlerError, HttpTransport};
use serde_json::json;

use super::support::{JSON, NEWEST, begin, connect_quiet, connect_to, done, is_in_session};
use crate::support::{Server, builder, call};

#[tokio::test]
async fn a_session_that_has_ended_begins_again_once() {
    let (client, server) = connect_quiet(builder()).await;
    let first = call(&client, "t", json!({"n": 1}));
    let first_post = server.request("tools/call").await;
    let second = call(&client, "t", json!({"n": 2}));
    let second_post = server.request("tools/call").await;
    let no_session =
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}"#;
    first_post.respond("404 Not Found", JSON, no_session).await;
    second_post.respond("404 Not Found", "", "").await;
    let get = begin(&server, NEWEST, Some("s-2")).await;
    get.respond("405 Method Not Allowed", "", "").await;
    for _ in 0..2 {
        let post = server.request("tools/call").await;
        is_in_session(&post, NEWEST, Some("s-2"));
        post.reply(&done("ok")).await;
    }
    for calling in [first, second] {
        assert_eq!(calling.await.unwrap().unwrap().text(), "ok");
    }
    // The new one is ended.
    let ended = async {
        let delete = server.next().await;
        assert!(delete.is("DELETE"), "{}", delete.head);
        assert_eq!(delete.header("mcp-session-id"), Some("s-2"));
        delete.respond("204 No Content", "", "").await;
    };
    tokio::join!(client.close(), ended);
}

/// Begins session `number` again after the call was refused with this, and answers there.
async fn is_lost(begun: (&Client, &Server), number: u32, status: &str, headers: &str, body: &str) {
    let (client, server) = begun;
    let calling = call(client, "t", json!({}));
    let post = server.request("tools/call").await;
    post.respond(status, headers, body).await;
    let session = format!("s-{number}");
    let get = begin(server, NEWEST, Some(&session)).await;
    get.respond("405 Method Not Allowed", "", "").await;
    let post = server.request("tools/call").await;
    is_in_session(&post, NEWEST, Some(&session));
    post.reply(&done("ok")).await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "ok", "{body}");
}

/// Word for word, as their sources have it.
#[tokio::test]
async fn some_servers_have_other_words_for_it() {
    let (client, server) = connect_quiet(builder()).await;
    let mut number = 1;
    for (status, headers, body) in [
        // The examples of the TypeScript SDK.
        (
            "400 Bad Request",
            JSON,
            r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}"#,
        ),
        (
            "400 Bad Request",
            JSON,
            r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID"},"id":null}"#,
        ),
        // server-everything, whose request has no body by then, and so no id.
        (
            "400 Bad Request",
            JSON,
            r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}"#,
        ),
        // A server with one transport of the TypeScript SDK that was started again.
        (
            "400 Bad Request",
            JSON,
            r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: Server not initialized"},"id":null}"#,
        ),
        // The Python SDK before 1.26.
        (
            "400 Bad Request",
            "",
            "Bad Request: No valid session ID provided",
        ),
        // mcp-go up to the end of 2025.
        (
            "400 Bad Request",
            "content-type: text/plain; charset=utf-8\r\n",
            "Invalid session ID\n",
        ),
        // rmcp up to February 2026.
        ("401 Unauthorized", "", "Unauthorized: Session not found"),
        // Those of today: the SDKs for TypeScript, Python and Rust.
        (
            "404 Not Found",
            JSON,
            r#"{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}"#,
        ),
        (
            "404 Not Found",
            JSON,
            r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Session not found"}}"#,
        ),
        ("404 Not Found", "", "Not Found: Session not found"),
    ] {
        number += 1;
        is_lost((&client, &server), number, status, headers, body).await;
    }
}

/// It may have been processed, so it is not sent again.
#[tokio::test]
async fn nothing_else_about_a_session_ends_one() {
    let (client, server) = connect_quiet(builder()).await;
    let html = "content-type: text/html\r\n";
    for (status, headers, body) in [
        (
            "400 Bad Request",
            html,
            "<h1>The session of the database has expired</h1>",
        ),
        ("400 Bad Request", "", "session"),
        (
            "400 Bad Request",
            "",
            "Invalid session ID: it belongs to another tenant",
        ),
        ("400 Bad Request", "", "Bad Request: Server not initialized"),
        (
            "400 Bad Request",
            JSON,
            r#"{"jsonrpc":"2.0","error":{"code":-32603,"message":"Bad Request: No valid session ID provided"},"id":null}"#,
        ),
        (
            "400 Bad Request",
            JSON,
            r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: the upstream session is gone"},"id":null}"#,
        ),
        (
            "400 Bad Request",
            JSON,
            r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"Bad Request: Missing session ID"},"id":"server-error"}"#,
        ),
        (
            "401 Unauthorized",
            "",
            "Unauthorized: your session has expired",
        ),
        (
            "401 Unauthorized",
            "www-authenticate: Bearer\r\n",
            "Unauthorized: Session not found",
        ),
        ("403 Forbidden", "", "Unauthorized: Session not found"),
        ("500 Internal Server Error", "", "Invalid session ID"),
    ] {
        let calling = call(&client, "t", json!({}));
        let post = server.request("tools/call").await;
        post.respond(status, headers, body).await;
        server.hears_nothing().await;
        let error = calling.await.unwrap().unwrap_err();
        assert!(!matches!(error, Error::SessionEnded { .. }), "{error}");
    }
    // What names the request is its answer.
    for (code, message) in [
        (-32602, "the argument session_id is missing"),
        (-32000, "Bad Request: No valid session ID provided"),
    ] {
        let calling = call(&client, "t", json!({}));
        let post = server.request("tools/call").await;
        post.fail("400 Bad Request", json!({"code": code, "message": message}))
            .await;
        assert_eq!(calling.await.unwrap().unwrap_err().code(), Some(code));
        server.hears_nothing().await;
    }
}

/// Counts how often it is asked for other credentials.
struct Asked(Arc<AtomicU32>);

impl Authorize for Asked {
    async fn authorize(&self, _url: &str, _headers: &mut HeaderMap) -> Result<(), HandlerError> {
        Ok(())
    }

    async fn challenged(&self, _challenge: Challenge<'_>) -> Verdict {
        self.0.fetch_add(1, Ordering::Relaxed);
        Verdict::GiveUp
    }
}

/// A login would be of no use.
#[tokio::test]
async fn nobody_is_asked_for_credentials_where_the_session_is_lost() {
    let asked = Arc::new(AtomicU32::new(0));
    let server = Server::start().await;
    let transport = HttpTransport::new(server.url("/mcp")).authorize(Asked(Arc::clone(&asked)));
    let begun = connect_to(server, builder(), transport, NEWEST, Some("s-1")).await;
    let (client, server) = (begun.client, begun.server);
    // On the stream of what belongs to no request as well.
    let lost = "Unauthorized: Session not found";
    begun.get.stream("retry: 10\n\n").await;
    let get = server.next().await;
    get.respond("401 Unauthorized", "", lost).await;
    is_lost((&client, &server), 2, "401 Unauthorized", "", lost).await;
    assert_eq!(asked.load(Ordering::Relaxed), 0);
    // Anything else is about credentials.
    for (headers, body) in [
        ("", "Unauthorized: your session has expired"),
        ("www-authenticate: Bearer\r\n", lost),
    ] {
        let before = asked.load(Ordering::Relaxed);
        let calling = call(&client, "t", json!({}));
        let post = server.request("tools/call").await;
        post.respond("401 Unauthorized", headers, body).await;
        let error = calling.await.unwrap().unwrap_err();
        assert!(matches!(error, Error::Unauthorized { .. }), "{error}");
        assert_eq!(asked.load(Ordering::Relaxed), before + 1);
    }
}

#[tokio::test]
async fn a_server_that_forgets_every_session_is_an_error() {
    let (client, server) = connect_quiet(builder()).await;
    let calling = call(&client, "t", json!({}));
    let post = server.request("tools/call").await;
    post.respond(
        "404 Not Found",
        "content-type: text/plain\r\n",
        "no s-1 here",
    )
    .await;
    let get = begin(&server, NEWEST, Some("s-2")).await;
    get.respond("405 Method Not Allowed", "", "").await;
    let post = server.request("tools/call").await;
    post.respond(
        "404 Not Found",
        "content-type: text/plain\r\n",
        "no s-2 here",
    )
    .await;
    let error = calling.await.unwrap().unwrap_err();
    assert!(matches!(error, Error::SessionEnded { .. }), "{error}");
    assert!(!error.to_string().contains("s-2"), "{error}");
    server.hears_nothing().await;
}

#[tokio::test]
async fn a_method_that_the_server_does_not_have_ends_no_session() {
    let (client, server) = connect_quiet(builder()).await;
    let calling = call(&client, "t", json!({}));
    let post = server.request("tools/call").await;
    post.fail("404 Not Found", json!({"code": -32601, "message": "no"}))
        .await;
    assert_eq!(calling.await.unwrap().unwrap_err().code(), Some(-32601));
    server.hears_nothing().await;
}

#[tokio::test]
async fn what_a_request_names_may_be_missing_with_status_404() {
    let (client, server) = connect_quiet(builder()).await;
    for error in [
        json!({"code": -32002, "message": "Resource not found: note://session/1"}),
        json!({"code": -32603, "message": "no"}),
    ] {
        let calling = call(&client, "t", json!({}));
        let post = server.request("tools/call").await;
        post.fail("404 Not Found", error.clone()).await;
        let failed = calling.await.unwrap().unwrap_err();
        assert_eq!(
            failed.code(),
            error["code"].as_i64().map(|code| code as i32)
        );
        server.hears_nothing().await;
    }
    // Some repeat the request's id when it is the session that they do not know.
    let calling = call(&client, "t", json!({}));
    let post = server.request("tools/call").await;
    let error = json!({"code": -32001, "message": "Session not found"});
    post.fail("404 Not Found", error).await;
    let get = begin(&server, NEWEST, Some("s-2")).await;
    get.respond("405 Method Not Allowed", "", "").await;
    server.request("tools/call").await.reply(&done("ok")).await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "ok");
}
