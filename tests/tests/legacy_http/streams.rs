//! Responses that are streams: how they begin, how they end, how they are taken up again.

use std::{sync::atomic::Ordering, time::Duration};

use http_body_util::{BodyExt, Full};
use mcp_server::prelude::*;
use serde_json::{Value, json};

use crate::{
    Work,
    old::{ALL, NEWEST, Old, call, open, open_with, request, serve, text},
    reached,
};

#[tokio::test]
async fn what_is_answered_at_once_is_json_and_what_says_something_is_a_stream() {
    let (site, _) = open().await;
    for revision in ALL {
        let client = Old::begin(&site, revision).await;
        let response = client.send(&call(1, "echo", json!({"text": "x"}))).await;
        assert_eq!(
            response.head.header("content-type"),
            Some("application/json")
        );
        let mut events = client.stream(&call(2, "eager", json!({}))).await;
        if revision == NEWEST {
            events.priming().await;
        }
        assert_eq!(text(&events.message().await.1), "soon");
        let (_, answer) = events.message().await;
        assert_eq!((&answer["id"], &*text(&answer)), (&json!(2), "at once"));
        assert_eq!(events.next().await, None);
    }
}

#[tokio::test]
async fn a_call_that_waits_is_a_stream_that_begins_at_once() {
    let (site, work) = open().await;
    for (count, revision) in (1..).zip(ALL) {
        let client = Old::begin(&site, revision).await;
        let mut events = client.stream(&call(2, "silent", json!({}))).await;
        if revision == NEWEST {
            events.priming().await;
        }
        reached(&work.begun, count).await;
        work.gate.notify_one();
        assert_eq!(text(&events.message().await.1), "said at last");
        assert_eq!(events.next().await, None);
    }
}

#[tokio::test]
async fn a_client_chooses_its_form() {
    let (site, work) = open().await;
    let client = Old::begin(&site, NEWEST).await;
    let echo = client.post(&call(1, "echo", json!({"text": "x"})));
    let mut events = client
        .open(
            &echo.with("Accept", "text/event-stream"),
            Some("tools/call"),
        )
        .await;
    events.priming().await;
    assert_eq!(text(&events.message().await.1), "x");
    assert_eq!(events.next().await, None);
    let mut connection = site.connect().await;
    let gated = client.post(&call(1, "gated", json!({})));
    connection
        .send(&gated.with("Accept", "application/json"))
        .await;
    reached(&work.begun, 1).await;
    work.gate.notify_one();
    let answer: Value = serde_json::from_str(&connection.response().await.body).unwrap();
    assert_eq!(text(&answer), "through the gate");
    let neither = client.post(&call(1, "echo", json!({"text": "x"})));
    let response = site.send(&neither.with("Accept", "text/html")).await;
    assert_eq!(response.refusal(), (406, -32600));
}

/// The connection breaks, the call goes on, and nothing is lost.
#[tokio::test]
async fn a_broken_stream_is_taken_up_again() {
    let (site, work) = open().await;
    for (count, revision) in (1..).zip(ALL) {
        let client = Old::begin(&site, revision).await;
        let mut events = client.stream(&call(2, "gated", json!({}))).await;
        let seen = if revision == NEWEST {
            events.priming().await
        } else {
            events.message().await.0
        };
        drop(events);
        // Another call's events are no part of it.
        let mut other = client.stream(&call(3, "eager", json!({}))).await;
        assert_eq!(other.texts().await, ["soon", "at once"]);
        work.gate.notify_one();
        reached(&work.done, count).await;
        let mut expected = vec!["before", "after", "through the gate"];
        if revision != NEWEST {
            expected.remove(0);
        }
        let mut again = client.open(&client.resume(&seen), Some("tools/call")).await;
        assert_eq!(again.texts().await, expected);
        // As often as it breaks.
        let mut again = client.open(&client.resume(&seen), Some("tools/call")).await;
        assert_eq!(again.texts().await, expected);
    }
}

#[tokio::test]
async fn a_stream_that_is_taken_up_while_its_call_works_goes_on() {
    let (site, work) = open().await;
    let client = Old::begin(&site, NEWEST).await;
    let mut first = client.stream(&call(2, "gated", json!({}))).await;
    first.priming().await;
    let (seen, _) = first.message().await;
    // The old connection is not known to be broken: the new one takes its place.
    let mut second = client.open(&client.resume(&seen), Some("tools/call")).await;
    assert_eq!(first.next().await, None);
    second.nothing_yet().await;
    work.gate.notify_one();
    assert_eq!(text(&second.message().await.1), "after");
    let (_, answer) = second.message().await;
    assert_eq!(answer["id"], 2);
    assert_eq!(second.next().await, None);
}

#[tokio::test]
async fn what_is_no_event_of_the_session_is_refused() {
    let (site, _) = open().await;
    let (one, two) = (
        Old::begin(&site, NEWEST).await,
        Old::begin(&site, NEWEST).await,
    );
    let mut events = one.stream(&call(1, "eager", json!({}))).await;
    let id = events.priming().await;
    assert_eq!(events.texts().await.len(), 2);
    assert_eq!(site.send(&one.resume(&id)).await.head.status, 200);
    // In another session there is no such event.
    for (client, id) in [
        (&two, &*id),
        (&one, "9-0"),
        (&one, "1-9"),
        (&one, "what"),
        (&one, "ü"),
    ] {
        let response = site.send(&client.resume(id)).await;
        assert_eq!(response.refusal(), (400, -32600), "{id}");
        assert!(response.body.contains("Last-Event-ID"), "{}", response.body);
    }
}

/// Ids of events are of one stream each, and say which.
#[tokio::test]
async fn ids_of_events_are_the_sessions_own() {
    let (site, _) = open().await;
    let client = Old::begin(&site, NEWEST).await;
    let mut ids = std::collections::HashSet::new();
    for id in 0..5 {
        let mut events = client.stream(&call(id, "eager", json!({}))).await;
        while let Some(event) = events.next().await {
            assert!(ids.insert(event.id.clone()), "{event:?}");
        }
    }
    assert_eq!(ids.len(), 15);
}

/// The tool lets its client go; the client asks for the rest.
#[tokio::test]
async fn a_tool_can_let_its_client_go() {
    let (site, work) = open().await;
    let client = Old::begin(&site, NEWEST).await;
    let mut events = client.stream(&call(1, "patient", json!({}))).await;
    events.priming().await;
    let (seen, message) = events.message().await;
    assert_eq!(text(&message), "come again");
    assert_eq!(events.next().await, None);
    let mut again = client.open(&client.resume(&seen), Some("tools/call")).await;
    again.nothing_yet().await;
    work.gate.notify_one();
    assert_eq!(again.texts().await, ["welcome back", "at last"]);
}

/// Other clients would not come again.
#[tokio::test]
async fn a_client_that_would_not_come_again_is_not_let_go() {
    let (site, work) = open().await;
    let client = Old::begin(&site, "2025-06-18").await;
    let mut events = client.stream(&call(1, "patient", json!({}))).await;
    assert_eq!(text(&events.message().await.1), "come again");
    work.gate.notify_one();
    assert_eq!(events.texts().await, ["welcome back", "at last"]);
    // Nor one of today.
    let call = mcp_tests::web::Post::reporting_call("patient", json!({}));
    let mut connection = site.connect().await;
    connection.send(&call).await;
    reached(&work.begun, 2).await;
    work.gate.notify_one();
    let messages = connection.response().await.messages();
    assert_eq!(text(messages.last().unwrap()), "at last");
}

#[tokio::test]
async fn connections_can_be_bounded_in_time() {
    let time = Duration::from_millis(200);
    let (site, work) = open_with(|http| http.close_streams_after(time)).await;
    let client = Old::begin(&site, NEWEST).await;
    let mut events = client.stream(&call(1, "gated", json!({}))).await;
    events.priming().await;
    let (mut seen, _) = events.message().await;
    assert_eq!(events.next().await, None);
    // It is polled until there is more.
    let mut polls = 0;
    let mut texts = Vec::new();
    while texts.last().is_none_or(|text| text != "through the gate") {
        polls += 1;
        if polls == 3 {
            work.gate.notify_one();
        }
        let mut events = client.open(&client.resume(&seen), Some("tools/call")).await;
        while let Some(event) = events.next().await {
            texts.push(text(&serde_json::from_str(&event.data).unwrap()));
            seen = event.id;
        }
    }
    assert!(polls >= 3, "{polls}");
    assert_eq!(texts, ["after", "through the gate"]);
    // The stream of a GET too, which says how to come again; and not with a client that would not.
    let mut listening = client.open(&client.get(), None).await;
    let seen = listening.priming().await;
    assert_eq!(listening.next().await, None);
    client.open(&client.resume(&seen), None).await;
    let older = Old::begin(&site, "2025-06-18").await;
    let mut events = older.stream(&call(1, "silent", json!({}))).await;
    let mut listening = older.open(&older.get(), None).await;
    tokio::time::sleep(2 * time).await;
    work.gate.notify_one();
    assert_eq!(events.texts().await, ["said at last"]);
    site.send(&older.delete()).await;
    assert_eq!(listening.next().await, None);
}

#[tokio::test]
async fn a_silent_stream_has_comments() {
    let (site, work) = open_with(|http| http.keep_alive(Duration::from_millis(50))).await;
    let client = Old::begin(&site, NEWEST).await;
    let (call, get) = (client.post(&call(1, "silent", json!({}))), client.get());
    for request in [call, get] {
        let mut connection = site.connect().await;
        connection.send(&request).await;
        assert!(connection.head().await.is_stream());
        let mut comments = 0;
        while comments < 3 {
            if connection.chunk().await.unwrap() == ":\n\n" {
                comments += 1;
            }
        }
    }
    work.gate.notify_one();
}

/// An id is free again as soon as its answer is seen, and not before.
#[tokio::test]
async fn an_id_is_of_one_request_at_a_time() {
    let (site, work) = open().await;
    let client = Old::begin(&site, NEWEST).await;
    let mut events = client.stream(&call(1, "silent", json!({}))).await;
    reached(&work.begun, 1).await;
    let twice = client.send(&request(1, "ping", json!({}))).await;
    assert_eq!(twice.refusal(), (400, -32600));
    // Elsewhere it is another one.
    let other = Old::begin(&site, NEWEST).await;
    other.ask(&request(1, "ping", json!({}))).await;
    work.gate.notify_one();
    assert_eq!(events.texts().await, ["said at last"]);
    client.ask(&request(1, "ping", json!({}))).await;
}

#[tokio::test]
async fn there_is_a_limit_to_what_is_under_way() {
    let (site, work) = open().await;
    let client = Old::begin(&site, NEWEST).await;
    for id in 0..256 {
        // Dropped at once: the calls go on.
        drop(client.stream(&call(id, "silent", json!({}))).await);
    }
    reached(&work.begun, 256).await;
    let refused = client.send(&request(999, "ping", json!({}))).await;
    assert_eq!(refused.refusal(), (429, -32600));
    // What ends them gets through.
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": 0}});
    assert_eq!(client.send(&cancel).await.head.status, 202);
    reached(&work.dropped, 1).await;
    client.ask(&request(999, "ping", json!({}))).await;
    assert_eq!(site.send(&client.delete()).await.head.status, 204);
    reached(&work.dropped, 256).await;
}

/// Says more than any connection holds, and is done.
#[tool]
async fn torrent(work: State<Work>, ctx: Context) -> &'static str {
    let text = "x".repeat(64 * 1024);
    work.begun.fetch_add(1, Ordering::SeqCst);
    work.gate.notified().await;
    for _ in 0..400 {
        ctx.log(mcp_server::LoggingLevel::Info, &text);
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    work.done.fetch_add(1, Ordering::SeqCst);
    "done"
}

/// What is too much is left out, and the answer is not: neither for a client that does not read, nor for one that is away.
#[tokio::test]
async fn a_client_that_does_not_read_gets_its_answer() {
    let work = std::sync::Arc::default();
    let server = crate::server_of(&work);
    let server = server.tools(tools![torrent]).build().unwrap();
    let site = serve(&server, |http| http).await;
    let client = Old::begin(&site, NEWEST).await;
    let mut lazy = client.stream(&call(1, "torrent", json!({}))).await;
    let mut away = client.stream(&call(2, "torrent", json!({}))).await;
    let seen = away.priming().await;
    drop(away);
    reached(&work.begun, 2).await;
    // The server sees that it has gone.
    tokio::time::sleep(Duration::from_millis(100)).await;
    work.gate.notify_waiters();
    reached(&work.done, 2).await;
    assert_eq!(lazy.texts().await.last().unwrap(), "done");
    let mut again = client.open(&client.resume(&seen), Some("tools/call")).await;
    assert_eq!(again.texts().await.last().unwrap(), "done");
}

/// Many streams share one connection there, and the end of one concerns no other.
#[tokio::test]
async fn http_2_has_streams_that_are_taken_up_again() {
    let (site, work) = open().await;
    let client = Old::begin(&site, NEWEST).await;
    let stream = tokio::net::TcpStream::connect(site.address).await.unwrap();
    let executor = hyper_util::rt::TokioExecutor::new();
    let io = hyper_util::rt::TokioIo::new(stream);
    let (mut sender, connection) = hyper::client::conn::http2::handshake(executor, io)
        .await
        .unwrap();
    tokio::spawn(connection);
    let uri = format!("http://{}/mcp", site.address);
    let mut send = |verb: &str, last: &str, body: Value| {
        let request = http::Request::builder()
            .method(verb)
            .uri(&uri)
            .header("content-type", "application/json")
            .header("mcp-session-id", &client.session)
            .header("last-event-id", last)
            .body(Full::<bytes::Bytes>::from(body.to_string()))
            .unwrap();
        sender.send_request(request)
    };
    let broken = send("POST", "", call(1, "gated", json!({}))).await.unwrap();
    reached(&work.begun, 1).await;
    drop(broken);
    let resumed = send("GET", "1-0", Value::Null).await.unwrap();
    assert_eq!(resumed.status(), 200);
    work.gate.notify_one();
    let body = resumed.into_body().collect().await.unwrap().to_bytes();
    let text = std::str::from_utf8(&body).unwrap();
    assert!(
        text.contains("id: 1-1") && text.contains("through the gate"),
        "{text}"
    );
}
