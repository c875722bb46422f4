//! The stream of what belongs to no request.

use std::time::{Duration, Instant};

use mcp_client::{Change, Changes, HttpTransport, Subscription};
use serde_json::json;

use super::support::{Begun, NEWEST, begin, connect, connect_to, done, event, is_in_session};
use crate::support::{Post, Server, builder, call};

/// Something that wants an answer at once.
fn ping(id: &str) -> String {
    event(id, &json!({"jsonrpc": "2.0", "id": id, "method": "ping"}))
}

async fn is_answered(server: &Server, id: &str) {
    let post = server.next().await;
    assert!(post.is("POST"), "{}", post.head);
    is_in_session(&post, NEWEST, Some("s-1"));
    assert_eq!(
        post.json(),
        json!({"jsonrpc": "2.0", "id": id, "result": {}})
    );
    post.respond("202 Accepted", "", "").await;
}

/// The next request, which opens the stream again behind this event.
async fn opened_again(server: &Server, last: Option<&str>) -> Post {
    let get = server.next().await;
    assert!(get.is("GET"), "{}", get.head);
    assert_eq!(get.header("last-event-id"), last);
    is_in_session(&get, NEWEST, Some("s-1"));
    get
}

#[tokio::test]
async fn a_server_need_not_have_it() {
    for (status, headers) in [
        ("400 Bad Request", ""),
        ("404 Not Found", ""),
        ("405 Method Not Allowed", ""),
        ("501 Not Implemented", ""),
        ("200 OK", "content-type: text/html\r\n"),
        ("204 No Content", ""),
    ] {
        let begun = connect(builder(), "s-1").await;
        begun.get.respond(status, headers, "").await;
        // It is not asked again, and calls go on.
        let calling = call(&begun.client, "t", json!({}));
        begun
            .server
            .request("tools/call")
            .await
            .reply(&done("ok"))
            .await;
        assert_eq!(calling.await.unwrap().unwrap().text(), "ok");
        begun.server.hears_nothing().await;
    }
}

#[tokio::test]
async fn what_comes_on_it_is_heard_and_it_is_opened_again_where_it_ended() {
    let Begun {
        client,
        server,
        mut get,
    } = connect(builder(), "s-1").await;
    get.begin_stream().await;
    get.write(": hello\n\nid: 0\nretry: 200\ndata:\n\n").await;
    get.write(ping("p-1")).await;
    is_answered(&server, "p-1").await;
    drop(get);
    let ended = Instant::now();
    let mut get = opened_again(&server, Some("p-1")).await;
    assert!(ended.elapsed() >= Duration::from_millis(200));
    get.begin_stream().await;
    get.write(ping("p-2")).await;
    is_answered(&server, "p-2").await;
    // A server that does not know the position may have another stream.
    drop(get);
    opened_again(&server, Some("p-2"))
        .await
        .respond("400 Bad Request", "", "")
        .await;
    let mut get = opened_again(&server, None).await;
    get.begin_stream().await;
    get.write(ping("p-3")).await;
    is_answered(&server, "p-3").await;
    drop(client);
    get.closed().await;
}

#[tokio::test]
async fn a_stream_that_ends_at_once_again_and_again_is_opened_ever_more_seldom() {
    let Begun {
        client,
        server,
        get,
    } = connect(builder(), "s-1").await;
    let empty = "retry: 0\nid: 1\ndata:\n\n";
    let began = Instant::now();
    let mut get = get;
    for _ in 0..5 {
        get.stream(empty).await;
        get = opened_again(&server, Some("1")).await;
    }
    // 50, 100, 200, 400 and 800 ms, where the server asks for none. A machine that stands still for a second makes a
    // stream last: then that second counts, and some of the pauses are shorter.
    assert!(began.elapsed() >= Duration::from_millis(1_300));
    drop((client, get));
}

#[tokio::test]
async fn a_server_that_is_away_is_looked_for() {
    let Begun {
        client,
        server,
        get,
    } = connect(builder(), "s-1").await;
    get.stream("retry: 10\nid: 1\ndata:\n\n").await;
    for status in ["503 Service Unavailable", "409 Conflict", ""] {
        let get = opened_again(&server, Some("1")).await;
        if !status.is_empty() {
            get.respond(status, "", "").await;
        }
    }
    let mut get = opened_again(&server, Some("1")).await;
    get.begin_stream().await;
    get.write(ping("p-1")).await;
    is_answered(&server, "p-1").await;
    drop(client);
}

#[tokio::test]
async fn a_session_that_ends_there_begins_again_with_the_next_call() {
    let Begun {
        client,
        server,
        get,
    } = connect(builder(), "s-1").await;
    get.stream("retry: 10\nid: 1\ndata:\n\n").await;
    opened_again(&server, Some("1"))
        .await
        .respond("404 Not Found", "", "")
        .await;
    server.hears_nothing().await;
    let calling = call(&client, "t", json!({}));
    let post = server.request("tools/call").await;
    post.respond("404 Not Found", "", "").await;
    let get = begin(&server, NEWEST, Some("s-2")).await;
    get.respond("405 Method Not Allowed", "", "").await;
    server.request("tools/call").await.reply(&done("ok")).await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "ok");
}

#[tokio::test]
async fn an_event_beyond_the_limit_is_left_out() {
    let server = Server::start().await;
    let transport = HttpTransport::new(server.url("/mcp")).max_message(2000);
    let begun = connect_to(server, builder(), transport, NEWEST, Some("s-1")).await;
    let (server, mut get) = (begun.server, begun.get);
    get.begin_stream().await;
    let long = json!({"jsonrpc": "2.0", "method": "notifications/message",
        "params": {"level": "info", "data": "x".repeat(5000)}});
    get.write(event("1", &long)).await;
    get.write(ping("p-1")).await;
    is_answered(&server, "p-1").await;
    drop(begun.client);
    get.closed().await;
}

#[tokio::test]
async fn closing_ends_it() {
    let Begun {
        client,
        server,
        mut get,
    } = connect(builder(), "s-1").await;
    get.begin_stream().await;
    let ended = async {
        get.closed().await;
        let delete = server.next().await;
        assert!(delete.is("DELETE"), "{}", delete.head);
        delete.respond("200 OK", "", "").await;
    };
    tokio::join!(client.close(), ended);
    server.hears_nothing().await;
}

#[tokio::test]
async fn it_is_open_before_the_first_call_if_the_server_does_not_take_its_time() {
    let Begun {
        client,
        server,
        mut get,
    } = connect(builder(), "s-1").await;
    let calling = call(&client, "t", json!({}));
    server.hears_nothing().await;
    get.begin_stream().await;
    server.request("tools/call").await.reply(&done("ok")).await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "ok");

    // One that says nothing there holds calls up for a moment alone.
    let slow = connect(builder(), "s-1").await;
    let calling = call(&slow.client, "t", json!({}));
    slow.server
        .request("tools/call")
        .await
        .reply(&done("ok"))
        .await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "ok");
    drop(slow.get);
}

/// A subscription, and the stream that brings what it reports.
async fn subscribed() -> (Begun, Changes) {
    let begun = connect(builder(), "s-1").await;
    let wanted = Subscription::new().tools().reconnect();
    let changes = begun.client.subscribe(wanted).await.unwrap();
    (begun, changes)
}

#[tokio::test]
async fn a_subscription_hears_of_a_stream_that_the_server_does_not_open_again() {
    for refusal in ["405 Method Not Allowed", "401 Unauthorized"] {
        let (begun, _changes) = subscribed().await;
        begun.get.stream("retry: 10\n\n").await;
        let get = opened_again(&begun.server, None).await;
        get.respond(refusal, "", "").await;
        super::support::begin(&begun.server, NEWEST, Some("s-2")).await;
    }
}

/// It comes back in the same session, which goes on.
#[tokio::test]
async fn a_subscription_that_comes_after_a_server_was_away_ends_no_session() {
    let Begun {
        client,
        server,
        get,
    } = connect(builder(), "s-1").await;
    get.stream("retry: 10\nid: 1\ndata:\n\n").await;
    // As often as the server is looked for before that is said, and once more.
    for _ in 0..6 {
        let get = opened_again(&server, Some("1")).await;
        get.respond("503 Service Unavailable", "", "").await;
    }
    let mut get = opened_again(&server, Some("1")).await;
    get.begin_stream().await;
    let wanted = Subscription::new().tools();
    let mut changes = client.subscribe(wanted).await.unwrap();
    let more = tokio::time::timeout(Duration::from_secs(1), server.next()).await;
    assert!(more.is_err(), "{}", more.unwrap().head);
    let changed = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
    get.write(event("2", &changed)).await;
    assert_eq!(changes.next().await, Some(Change::Tools));
}

#[tokio::test]
async fn a_subscription_hears_of_a_server_that_stays_away() {
    let (begun, _changes) = subscribed().await;
    begun.get.stream("retry: 10\nid: 1\ndata:\n\n").await;
    // It is looked for a while.
    for _ in 0..5 {
        let get = opened_again(&begun.server, Some("1")).await;
        get.respond("503 Service Unavailable", "", "").await;
    }
    let is_get = |post: &Post| post.is("GET");
    let mut post = begun.server.next().await;
    while is_get(&post) {
        post.respond("503 Service Unavailable", "", "").await;
        post = begun.server.next().await;
    }
    assert_eq!(post.json()["method"], "initialize");
}

/// The pause before a session begins again gives a call the time to begin one itself.
#[tokio::test]
async fn a_session_that_a_call_has_begun_is_not_ended_for_a_subscription() {
    let (begun, _changes) = subscribed().await;
    let server = &begun.server;
    begun.get.stream("retry: 10\n\n").await;
    let get = opened_again(server, None).await;
    get.respond("404 Not Found", "", "").await;
    let calling = call(&begun.client, "t", json!({}));
    let post = server.request("tools/call").await;
    post.respond("404 Not Found", "", "").await;
    let mut get = begin(server, NEWEST, Some("s-2")).await;
    get.begin_stream().await;
    let post = server.request("tools/call").await;
    is_in_session(&post, NEWEST, Some("s-2"));
    post.reply(&done("ok")).await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "ok");
    let more = tokio::time::timeout(Duration::from_secs(1), server.next()).await;
    assert!(more.is_err(), "{}", more.unwrap().head);
    drop(get);
}
