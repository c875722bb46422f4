//! Pings before the handshake is over, on the stream of its request.
//!
//! Specification: revision 2025-11-25, basic/lifecycle, Initialization.

use mcp_client::{Client, HttpTransport};
use serde_json::json;

use super::support::{NEWEST, connect_quiet, done, event, initialized};
use crate::support::{Post, Server, builder, call};

/// Answers `initialize` with a stream on which a ping comes first, which must be answered within the session that
/// the response names; up to the request for the stream of what belongs to no request.
async fn begin_with_ping(server: &Server, session: &str) -> Post {
    let mut post = server.request("initialize").await;
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n";
    post.write(format!("{head}mcp-session-id: {session}\r\n\r\n"))
        .await;
    let ping = json!({"jsonrpc": "2.0", "id": "p", "method": "ping"});
    post.write(event("1", &ping)).await;
    let answer = server.next().await;
    let expected = json!({"jsonrpc": "2.0", "id": "p", "result": {}});
    assert_eq!(answer.json(), expected);
    assert_eq!(answer.header("mcp-session-id"), Some(session));
    // None is agreed on yet.
    assert_eq!(answer.header("mcp-protocol-version"), None);
    answer.respond("202 Accepted", "", "").await;
    let begun = json!({"jsonrpc": "2.0", "id": post.id(), "result": initialized(NEWEST)});
    post.write(event("2", &begun)).await;
    drop(post);
    let told = server.request("notifications/initialized").await;
    assert_eq!(told.header("mcp-session-id"), Some(session));
    told.respond("202 Accepted", "", "").await;
    server.next().await
}

#[tokio::test]
async fn a_ping_is_answered_at_once_in_the_first_session() {
    let server = Server::start().await;
    let answering = async {
        let probe = server.request("server/discover").await;
        probe.respond("400 Bad Request", "", "").await;
        let get = begin_with_ping(&server, "s-1").await;
        get.respond("405 Method Not Allowed", "", "").await;
    };
    let connecting = builder().connect(HttpTransport::new(server.url("/mcp")));
    let (client, ()): (Result<Client, _>, ()) = tokio::join!(connecting, answering);
    client.unwrap();
}

#[tokio::test]
async fn a_ping_is_answered_at_once_in_the_session_after_it() {
    let (client, server) = connect_quiet(builder()).await;
    let calling = call(&client, "t", json!({}));
    let post = server.request("tools/call").await;
    post.respond("404 Not Found", "", "").await;
    let get = begin_with_ping(&server, "s-2").await;
    get.respond("405 Method Not Allowed", "", "").await;
    let post = server.request("tools/call").await;
    assert_eq!(post.header("mcp-session-id"), Some("s-2"));
    post.reply(&done("ok")).await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "ok");
}

/// A question of the session before it, on a stream that lives on, is none of the handshake.
#[tokio::test]
async fn a_ping_on_another_stream_is_not_answered_into_the_session_that_begins() {
    let (client, server) = connect_quiet(builder()).await;
    let first = call(&client, "first", json!({}));
    let mut first_post = server.request("tools/call").await;
    first_post.begin_stream().await;
    let second = call(&client, "second", json!({}));
    let post = server.request("tools/call").await;
    post.respond("404 Not Found", "", "").await;
    let hello = server.request("initialize").await;
    let ping = json!({"jsonrpc": "2.0", "id": "p", "method": "ping"});
    first_post.write(event("1", &ping)).await;
    server.hears_nothing().await;
    drop((client, hello, first, second));
}
