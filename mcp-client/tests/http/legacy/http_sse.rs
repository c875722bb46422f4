//! Servers that have the transport of 2024-11-05 alone.

use std::time::Duration;

use mcp_client::{Answer, Client, Eras, Error, HttpTransport, Revision, Subscription};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::support::{self, answer, done, initialized};
use crate::support::{Post, Server, builder, call};

pub(super) const OLDEST: &str = "2024-11-05";

/// The stream that brings everything, after a refusal.
async fn open(server: &Server, refusal: &str) -> Post {
    let post = server.request("initialize").await;
    post.respond(refusal, "content-type: text/html\r\n", "<h1>No</h1>")
        .await;
    opened(server).await
}

pub(super) async fn opened(server: &Server) -> Post {
    let mut get = server.next().await;
    assert!(get.is("GET"), "{}", get.head);
    assert!(get.head.starts_with("GET /sse "), "{}", get.head);
    assert_eq!(get.header("accept"), Some("text/event-stream"));
    assert_eq!(get.header("x-tenant"), Some("acme"));
    get.begin_stream().await;
    get
}

/// The next message, at the endpoint.
pub(super) async fn message(server: &Server, method: &str) -> Value {
    let post = server.next().await;
    assert!(
        post.head.starts_with("POST /messages?session_id=7 "),
        "{}",
        post.head
    );
    assert_eq!(post.header("x-tenant"), Some("acme"));
    assert_eq!(post.header("mcp-method"), None);
    let message = post.json();
    assert_eq!(message["method"], method);
    post.respond("202 Accepted", "content-type: text/plain\r\n", "Accepted")
        .await;
    message
}

pub(super) async fn say(stream: &mut Post, message: &Value) {
    stream
        .write(format!("event: message\r\ndata: {message}\r\n\r\n"))
        .await;
}

async fn begin(server: &Server, refusal: &str) -> Post {
    begin_on(server, open(server, refusal).await).await
}

async fn begin_on(server: &Server, mut stream: Post) -> Post {
    stream
        .write("event: endpoint\r\ndata: /messages?session_id=7\r\n\r\n")
        .await;
    let asked = message(server, "initialize").await;
    let begun = json!({"jsonrpc": "2.0", "id": asked["id"], "result": initialized(OLDEST)});
    say(&mut stream, &begun).await;
    message(server, "notifications/initialized").await;
    stream
}

pub(super) async fn connect(builder: mcp_client::Builder, refusal: &str) -> (Client, Server, Post) {
    let server = Server::start().await;
    let transport = HttpTransport::new(server.url("/sse"))
        .header("x-tenant", "acme")
        .max_message(2000);
    let answering = async {
        let probe = server.request("server/discover").await;
        probe.respond(refusal, "", "").await;
        begin(&server, refusal).await
    };
    let (client, stream) = tokio::join!(builder.connect(transport), answering);
    (client.unwrap(), server, stream)
}

#[tokio::test]
async fn they_are_found_and_answer_on_the_one_stream() {
    for refusal in ["400 Bad Request", "404 Not Found", "405 Method Not Allowed"] {
        let (client, server, mut stream) = connect(builder(), refusal).await;
        assert_eq!(client.revision().as_str(), OLDEST);
        let first = call(&client, "t", json!({}));
        let first_id = message(&server, "tools/call").await["id"].clone();
        let second = call(&client, "t", json!({}));
        let second_id = message(&server, "tools/call").await["id"].clone();
        say(&mut stream, &answer(&second_id, "second")).await;
        say(&mut stream, &answer(&first_id, "first")).await;
        assert_eq!(first.await.unwrap().unwrap().text(), "first");
        assert_eq!(second.await.unwrap().unwrap().text(), "second");
        // There is no session to end but the stream.
        tokio::join!(client.close(), stream.closed());
        server.hears_nothing().await;
    }
}

/// The server is known to want a handshake, and says where it goes, but does not answer it.
#[tokio::test]
async fn the_stream_of_a_handshake_that_is_given_up_ends() {
    let eras = Eras::new();
    let server = Server::start().await;
    let transport = || HttpTransport::new(server.url("/sse")).header("x-tenant", "acme");
    let refusal = "405 Method Not Allowed";
    let answering = async {
        let probe = server.request("server/discover").await;
        probe.respond(refusal, "", "").await;
        begin(&server, refusal).await
    };
    let (client, stream) = tokio::join!(builder().eras(&eras).connect(transport()), answering);
    drop(stream);
    client.unwrap().close().await;

    let answering = async {
        let mut given_up = open(&server, refusal).await;
        given_up
            .write("event: endpoint\ndata: /messages?session_id=7\n\n")
            .await;
        message(&server, "initialize").await;
        let probe = server.request("server/discover").await;
        given_up.closed().await;
        probe.respond(refusal, "", "").await;
        begin(&server, refusal).await
    };
    let impatient = builder().eras(&eras).probe_timeout(Duration::from_secs(2));
    let (client, mut stream) = tokio::join!(impatient.connect(transport()), answering);
    let calling = call(&client.unwrap(), "t", json!({}));
    let id = message(&server, "tools/call").await["id"].clone();
    say(&mut stream, &answer(&id, "ok")).await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "ok");
}

#[tokio::test]
async fn an_answer_may_come_before_the_request_is_accepted() {
    let (client, server, mut stream) = connect(builder(), "405 Method Not Allowed").await;
    let calling = call(&client, "t", json!({}));
    let post = server.next().await;
    say(&mut stream, &answer(&post.id(), "ok")).await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "ok");
}

#[tokio::test]
async fn questions_are_answered_there_too() {
    let asking = builder()
        .on_sampling(|_| async { Err("never asked".into()) })
        .on_form(|_| async { Ok(Answer::accept(json!({}))?) });
    let (client, server, mut stream) = connect(asking, "405 Method Not Allowed").await;
    say(
        &mut stream,
        &json!({"jsonrpc": "2.0", "id": "p", "method": "ping"}),
    )
    .await;
    let post = server.next().await;
    assert_eq!(
        post.json(),
        json!({"jsonrpc": "2.0", "id": "p", "result": {}})
    );
    post.respond("202 Accepted", "", "").await;
    drop(client);
}

#[tokio::test]
async fn a_refusal_of_a_message_is_its_answer() {
    let (client, server, _stream) = connect(builder(), "405 Method Not Allowed").await;
    let calling = call(&client, "t", json!({}));
    let post = server.next().await;
    post.fail("400 Bad Request", json!({"code": -32602, "message": "no"}))
        .await;
    assert_eq!(calling.await.unwrap().unwrap_err().code(), Some(-32602));
    let calling = call(&client, "t", json!({}));
    server.next().await.respond("500 Oops", "", "").await;
    let error = calling.await.unwrap().unwrap_err();
    assert!(
        matches!(
            error,
            Error::RequestFailed {
                status: Some(500),
                ..
            }
        ),
        "{error}"
    );
}

#[tokio::test]
async fn giving_up_is_said() {
    let (client, server, _stream) = connect(builder(), "405 Method Not Allowed").await;
    let calling = call(&client, "t", json!({}));
    let asked = message(&server, "tools/call").await;
    calling.abort();
    let cancelled = message(&server, "notifications/cancelled").await;
    assert_eq!(cancelled["params"]["requestId"], asked["id"]);
}

#[tokio::test]
async fn the_end_of_the_stream_ends_the_session() {
    let (client, server, stream) =
        connect(builder().without_request_timeout(), "404 Not Found").await;
    let calling = call(&client, "t", json!({}));
    message(&server, "tools/call").await;
    drop(stream);
    let ended = timeout(Duration::from_secs(10), calling).await.unwrap();
    let error = ended.unwrap().unwrap_err();
    assert!(
        error.to_string().contains("ended before the answer"),
        "{error}"
    );
    // The next call begins another one.
    let calling = call(&client, "t", json!({}));
    let mut stream = begin_on(&server, opened(&server).await).await;
    let asked = message(&server, "tools/call").await;
    say(&mut stream, &answer(&asked["id"], "ok")).await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "ok");
}

#[tokio::test]
async fn so_does_a_server_that_does_not_know_it() {
    let (client, server, _stream) = connect(builder(), "405 Method Not Allowed").await;
    let calling = call(&client, "t", json!({}));
    server
        .next()
        .await
        .respond("404 Not Found", "", "Could not find session")
        .await;
    let mut stream = begin_on(&server, opened(&server).await).await;
    let asked = message(&server, "tools/call").await;
    say(&mut stream, &answer(&asked["id"], "ok")).await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "ok");
}

#[tokio::test]
async fn calls_of_a_session_that_is_replaced_do_not_wait_for_ever() {
    let quiet = builder().without_request_timeout();
    let (client, server, _stream) = connect(quiet, "405 Method Not Allowed").await;
    let waiting = call(&client, "t", json!({}));
    message(&server, "tools/call").await;
    let calling = call(&client, "t", json!({}));
    let post = server.next().await;
    post.respond("404 Not Found", "", "").await;
    let mut stream = begin_on(&server, opened(&server).await).await;
    let asked = message(&server, "tools/call").await;
    say(&mut stream, &answer(&asked["id"], "ok")).await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "ok");
    let ended = timeout(Duration::from_secs(10), waiting).await.unwrap();
    let error = ended.unwrap().unwrap_err();
    assert!(
        error.to_string().contains("ended before the answer"),
        "{error}"
    );
}

#[tokio::test]
async fn an_answer_beyond_the_limit_fails_its_call_alone() {
    let (client, server, mut stream) = connect(builder(), "405 Method Not Allowed").await;
    let long = call(&client, "t", json!({}));
    let asked = message(&server, "tools/call").await;
    let other = call(&client, "t", json!({}));
    let other_id = message(&server, "tools/call").await["id"].clone();
    // The id comes last, as some servers write it.
    let result = done(&"x".repeat(5000));
    stream
        .write(format!(
            "data: {{\"result\":{result},\"jsonrpc\":\"2.0\",\"id\":{}}}\n\n",
            asked["id"]
        ))
        .await;
    say(&mut stream, &answer(&other_id, "ok")).await;
    let error = long.await.unwrap().unwrap_err();
    assert!(
        matches!(error, Error::TooLong { limit: 2000, .. }),
        "{error}"
    );
    assert_eq!(other.await.unwrap().unwrap().text(), "ok");
}

#[tokio::test]
async fn messages_go_to_no_other_origin() {
    let elsewhere = Server::start().await;
    for named in [
        elsewhere.url("/messages"),
        "https://other.example/m".to_owned(),
    ] {
        let server = Server::start().await;
        let transport = HttpTransport::new(server.url("/sse")).header("x-tenant", "acme");
        let answering = async {
            let probe = server.request("server/discover").await;
            probe.respond("404 Not Found", "", "").await;
            let mut stream = open(&server, "404 Not Found").await;
            stream
                .write(format!("event: endpoint\ndata: {named}\n\n"))
                .await;
            stream.closed().await;
        };
        let (client, ()) = tokio::join!(builder().connect(transport), answering);
        client.unwrap_err();
        server.hears_nothing().await;
    }
    elsewhere.hears_nothing().await;
}

#[tokio::test]
async fn a_stream_that_begins_otherwise_is_another_one() {
    for first in ["data: {}\n\n", "event: ping\ndata: x\n\n", ""] {
        let server = Server::start().await;
        let transport = HttpTransport::new(server.url("/sse")).header("x-tenant", "acme");
        let answering = async {
            let probe = server.request("server/discover").await;
            probe.respond("404 Not Found", "", "").await;
            let stream = open(&server, "404 Not Found").await;
            let mut stream = stream;
            stream.write(first).await;
        };
        let (client, ()) = tokio::join!(builder().connect(transport), answering);
        let error = client.unwrap_err();
        assert!(
            matches!(
                error,
                Error::RequestFailed {
                    status: Some(404),
                    ..
                }
            ),
            "{error}"
        );
        server.hears_nothing().await;
    }
}

#[tokio::test]
async fn they_are_asked_for_first_where_only_their_revision_will_do() {
    let server = Server::start().await;
    let transport = HttpTransport::new(server.url("/sse")).header("x-tenant", "acme");
    let pinned = builder().revision(Revision::V2024_11_05);
    let answering = async { begin_on(&server, opened(&server).await).await };
    let (client, mut stream) = tokio::join!(pinned.connect(transport), answering);
    let calling = call(&client.unwrap(), "t", json!({}));
    let asked = message(&server, "tools/call").await;
    say(&mut stream, &answer(&asked["id"], "ok")).await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "ok");

    // Servers of later revisions may speak it too.
    for refusal in ["400 Bad Request", "405 Method Not Allowed"] {
        let server = Server::start().await;
        let pinned = builder().revision(Revision::V2024_11_05);
        let connecting = pinned.connect(HttpTransport::new(server.url("/mcp")));
        let answering = async {
            let get = server.next().await;
            assert!(get.is("GET"), "{}", get.head);
            get.respond(refusal, "", "").await;
            support::begin(&server, OLDEST, Some("s-1")).await
        };
        let (client, get) = tokio::join!(connecting, answering);
        assert_eq!(client.unwrap().revision(), Revision::V2024_11_05);
        drop(get);
    }
}

#[tokio::test]
async fn errors_do_not_repeat_the_session() {
    let server = Server::start().await;
    let transport = HttpTransport::new(server.url("/sse")).header("x-tenant", "acme");
    let pinned = builder().revision(Revision::V2024_11_05);
    let answering = async {
        let mut stream = opened(&server).await;
        stream
            .write("event: endpoint\ndata: /messages?session=hunter2hunter2\n\n")
            .await;
        let post = server.next().await;
        let begun = json!({"jsonrpc": "2.0", "id": post.id(), "result": initialized(OLDEST)});
        post.respond("202 Accepted", "", "").await;
        say(&mut stream, &begun).await;
        server.next().await.respond("202 Accepted", "", "").await;
        stream
    };
    let (client, _stream) = tokio::join!(pinned.connect(transport), answering);
    let client = client.unwrap();
    for (status, headers) in [
        ("400 Bad Request", "content-type: text/plain\r\n"),
        (
            "307 Temporary Redirect",
            "location: https://other.example/m?session=hunter2hunter2\r\n",
        ),
    ] {
        let calling = call(&client, "t", json!({}));
        let post = server.next().await;
        post.respond(status, headers, "no hunter2hunter2 here")
            .await;
        let error = calling.await.unwrap().unwrap_err();
        assert!(error.to_string().contains("(session)"), "{error}");
        assert!(!format!("{error:?}").contains("hunter2"), "{error}");
    }
}

#[tokio::test]
async fn credentials_in_the_url_go_with_messages_too() {
    let server = Server::start().await;
    let url = server
        .url("/sse")
        .replace("http://", "http://host:hunter%202@");
    let pinned = builder().revision(Revision::V2024_11_05);
    let connecting = pinned.connect(HttpTransport::new(url));
    let answering = async {
        let mut get = server.next().await;
        let sent = get.header("authorization").map(str::to_owned);
        assert_eq!(sent.as_deref(), Some("Basic aG9zdDpodW50ZXIgMg=="));
        get.begin_stream().await;
        get.write("event: endpoint\ndata: /messages\n\n").await;
        let post = server.request("initialize").await;
        assert_eq!(post.header("authorization"), sent.as_deref());
        post.respond("400 Bad Request", "", "").await;
    };
    let (client, ()) = tokio::join!(connecting, answering);
    client.unwrap_err();
}

#[tokio::test]
async fn what_is_no_event_may_come_before_the_endpoint() {
    let server = Server::start().await;
    let transport = HttpTransport::new(server.url("/sse")).header("x-tenant", "acme");
    let pinned = builder().revision(Revision::V2024_11_05);
    let answering = async {
        let mut stream = opened(&server).await;
        stream
            .write(": hello\n\nretry: 3000\n\nid:\n\nid: 1\n\n")
            .await;
        begin_on(&server, stream).await
    };
    let (client, mut stream) = tokio::join!(pinned.connect(transport), answering);
    let calling = call(&client.unwrap(), "t", json!({}));
    let asked = message(&server, "tools/call").await;
    say(&mut stream, &answer(&asked["id"], "ok")).await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "ok");
}

#[tokio::test]
async fn errors_do_not_repeat_what_names_the_session() {
    let server = Server::start().await;
    let pinned = builder().revision(Revision::V2024_11_05);
    let connecting = pinned.connect(HttpTransport::new(server.url("/sse")));
    let answering = async {
        let mut stream = server.next().await;
        stream.begin_stream().await;
        stream
            .write("event: endpoint\ndata: /messages/4f1c2d3e9a?key=hunter%2B2%3D\n\n")
            .await;
        let asked = server.request("initialize").await;
        let begun = json!({"jsonrpc": "2.0", "id": asked.id(), "result": initialized(OLDEST)});
        asked.respond("202 Accepted", "", "").await;
        say(&mut stream, &begun).await;
        let post = server.request("notifications/initialized").await;
        post.respond("202 Accepted", "", "").await;
        stream
    };
    let (client, _stream) = tokio::join!(connecting, answering);
    let client = client.unwrap();
    let said = "no 4f1c2d3e9a with hunter%2B2%3D, hunter+2=";
    for (status, headers) in [
        ("403 Forbidden", "www-authenticate: Bearer hunter+2=\r\n"),
        ("500 Oops", ""),
    ] {
        let calling = call(&client, "t", json!({}));
        let post = server.request("tools/call").await;
        post.respond(status, headers, said).await;
        let error = calling.await.unwrap().unwrap_err();
        let shown = format!("{error} {error:?}");
        assert!(shown.contains("(session)"), "{shown}");
        assert!(
            !shown.contains("hunter") && !shown.contains("4f1c"),
            "{shown}"
        );
    }
}

#[tokio::test]
async fn a_stream_that_ends_with_the_handshake_is_followed_by_another_one() {
    let (client, server, stream) = connect(builder(), "405 Method Not Allowed").await;
    let wanted = Subscription::new().tools().reconnect();
    let _changes = client.subscribe(wanted).await.unwrap();
    drop(stream);
    for _ in 0..2 {
        let mut stream = opened(&server).await;
        let endpoint = "event: endpoint\ndata: /messages?session_id=7\n\n";
        stream.write(endpoint).await;
        let asked = message(&server, "initialize").await;
        let begun = json!({"jsonrpc": "2.0", "id": asked["id"], "result": initialized(OLDEST)});
        say(&mut stream, &begun).await;
        // It ends as soon as the handshake is answered.
        drop(stream);
        message(&server, "notifications/initialized").await;
    }
    let _stream = begin_on(&server, opened(&server).await).await;
}
