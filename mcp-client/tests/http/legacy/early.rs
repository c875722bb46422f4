//! What servers say while a handshake is under way: pings before its answer, and what is right behind it.
//!
//! Specification: revision 2025-11-25, basic/lifecycle, Initialization.

use mcp_client::{Client, HttpTransport, Revision};
use serde_json::{Value, json};

use super::http_sse;
use super::support::{NEWEST, connect_quiet, done, event, initialized};
use crate::support::{Post, Server, builder, call};

fn ping() -> Value {
    json!({"jsonrpc": "2.0", "id": "p", "method": "ping"})
}

/// Answers `initialize` with a stream on which a ping comes first, which must be answered within the session that
/// the response names; up to the request for the stream of what belongs to no request.
async fn begin_with_ping(server: &Server, session: &str) -> Post {
    let mut post = server.request("initialize").await;
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n";
    post.write(format!("{head}mcp-session-id: {session}\r\n\r\n"))
        .await;
    post.write(event("1", &ping())).await;
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
    first_post.write(event("1", &ping())).await;
    server.hears_nothing().await;
    drop((client, hello, first, second));
}

/// The stream of a server that has the transport of 2024-11-05 alone, and the request of the handshake.
async fn asked_on_the_old_transport(server: &Server) -> (Post, Value) {
    let mut stream = http_sse::opened(server).await;
    let endpoint = "event: endpoint\ndata: /messages?session_id=7\n\n";
    stream.write(endpoint).await;
    let asked = http_sse::message(server, "initialize").await;
    (stream, asked["id"].clone())
}

async fn is_answered_on_the_old_transport(server: &Server) {
    let post = server.next().await;
    let start = "POST /messages?session_id=7 ";
    assert!(post.head.starts_with(start), "{}", post.head);
    let expected = json!({"jsonrpc": "2.0", "id": "p", "result": {}});
    assert_eq!(post.json(), expected);
    post.respond("202 Accepted", "", "").await;
}

#[tokio::test]
async fn a_ping_is_answered_at_once_on_the_old_transport() {
    let server = Server::start().await;
    let transport = HttpTransport::new(server.url("/sse")).header("x-tenant", "acme");
    let answering = async {
        let (mut stream, id) = asked_on_the_old_transport(&server).await;
        http_sse::say(&mut stream, &ping()).await;
        is_answered_on_the_old_transport(&server).await;
        let begun = json!({"jsonrpc": "2.0", "id": id, "result": initialized(http_sse::OLDEST)});
        http_sse::say(&mut stream, &begun).await;
        http_sse::message(&server, "notifications/initialized").await;
    };
    let pinned = builder().revision(Revision::V2024_11_05);
    let (client, ()) = tokio::join!(pinned.connect(transport), answering);
    client.unwrap();
}

/// What comes right behind the answer to the handshake is of the new session, and not of the one before it.
#[tokio::test]
async fn nothing_overtakes_the_answer_to_the_handshake_on_the_old_transport() {
    let (client, server, _stream) = http_sse::connect(builder(), "405 Method Not Allowed").await;
    let calling = call(&client, "t", json!({}));
    let post = server.next().await;
    post.respond("404 Not Found", "", "").await;
    let (mut stream, id) = asked_on_the_old_transport(&server).await;
    let begun = json!({"jsonrpc": "2.0", "id": id, "result": initialized(http_sse::OLDEST)});
    let both = format!("data: {begun}\n\ndata: {}\n\n", ping());
    stream.write(both).await;
    http_sse::message(&server, "notifications/initialized").await;
    // In either order: the call goes on as well.
    let mut is_answered = false;
    for _ in 0..2 {
        let post = server.next().await;
        is_answered |= post.json()["id"] == "p";
        post.respond("202 Accepted", "", "").await;
    }
    assert!(is_answered);
    drop((client, calling));
}
