//! Streams of requests that break off before the answer, and are taken up again.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mcp_client::{CallOptions, Error};
use serde_json::json;

use super::support::{NEWEST, answer, connect_quiet, event, is_in_session};
use crate::support::{Post, Server, builder, call};

/// The next request, which takes up a stream behind this event.
async fn resumed(server: &Server, last: &str) -> Post {
    let get = server.next().await;
    assert!(get.is("GET"), "{}", get.head);
    assert_eq!(get.header("last-event-id"), Some(last));
    assert_eq!(get.header("accept"), Some("text/event-stream"));
    is_in_session(&get, NEWEST, Some("s-1"));
    get
}

#[tokio::test]
async fn a_stream_that_is_closed_early_goes_on_after_the_pause_that_was_asked_for() {
    let (client, server) = connect_quiet(builder()).await;
    let calling = call(&client, "t", json!({}));
    let post = server.request("tools/call").await;
    let id = post.id();
    post.stream("id: a:0\nretry: 300\ndata: \n\n").await;
    let closed = Instant::now();
    let get = resumed(&server, "a:0").await;
    assert!(closed.elapsed() >= Duration::from_millis(300));
    get.stream(event("a:1", &answer(&id, "ok"))).await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "ok");
    server.hears_nothing().await;
}

#[tokio::test]
async fn it_goes_on_where_it_was_cut_with_what_was_said_in_between() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let reports = Arc::clone(&seen);
    let options =
        CallOptions::new().on_progress(move |report| reports.lock().unwrap().push(report.progress));
    let (client, server) = connect_quiet(builder()).await;
    let answering = async {
        let mut post = server.request("tools/call").await;
        let (id, token) = (
            post.id(),
            post.json()["params"]["_meta"]["progressToken"].clone(),
        );
        let report = |progress: u32| {
            let params = json!({"progressToken": token, "progress": progress});
            json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
        };
        post.write("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n").await;
        let events = format!("retry: 10\n\n{}id: 2\ndata: {{\"js", event("1", &report(1)));
        post.write(format!("{:x}\r\n{events}\r\n", events.len()))
            .await;
        // Cut inside an event, which was not received then.
        drop(post);
        // More often than a server may bring nothing.
        for progress in 2..9 {
            let get = resumed(&server, &(progress - 1).to_string()).await;
            get.stream(event(&progress.to_string(), &report(progress)))
                .await;
        }
        let get = resumed(&server, "8").await;
        get.stream(event("9", &answer(&id, "ok"))).await;
    };
    let (called, ()) = tokio::join!(client.call_tool_with("t", json!({}), options), answering);
    assert_eq!(called.unwrap().text(), "ok");
    let expected: Vec<f64> = (1..9).map(f64::from).collect();
    assert_eq!(*seen.lock().unwrap(), expected);
}

#[tokio::test]
async fn a_stream_without_positions_cannot_be_taken_up_again() {
    let (client, server) = connect_quiet(builder()).await;
    for events in ["", ": hello\n\n", "retry: 10\n\n", "id: 1\ndata: x"] {
        let calling = call(&client, "t", json!({}));
        server.request("tools/call").await.stream(events).await;
        let error = calling.await.unwrap().unwrap_err();
        assert!(
            error.to_string().contains("ended before the answer"),
            "{error}"
        );
    }
    server.hears_nothing().await;
}

#[tokio::test]
async fn a_server_that_will_not_go_on_fails_the_call_at_once() {
    let (client, server) = connect_quiet(builder()).await;
    for (status, headers) in [
        ("400 Bad Request", ""),
        ("405 Method Not Allowed", ""),
        // Not a new session and the request once more: it may have been processed.
        ("404 Not Found", ""),
        ("200 OK", "content-type: application/json\r\n"),
    ] {
        let calling = call(&client, "t", json!({}));
        let post = server.request("tools/call").await;
        post.stream("id: 1\nretry: 10\ndata:\n\n").await;
        resumed(&server, "1")
            .await
            .respond(status, headers, "")
            .await;
        let error = calling.await.unwrap().unwrap_err();
        let code: u16 = status[..3].parse().unwrap();
        assert!(
            matches!(&error, Error::RequestFailed { status: Some(status), .. } if *status == code),
            "{error}"
        );
        server.hears_nothing().await;
    }
}

#[tokio::test]
async fn a_server_that_cannot_be_reached_for_a_while_is_asked_again_and_not_for_ever() {
    let (client, server) = connect_quiet(builder()).await;
    for comes_back in [true, false] {
        let calling = call(&client, "t", json!({}));
        let post = server.request("tools/call").await;
        let id = post.id();
        post.stream("id: 1\nretry: 10\ndata:\n\n").await;
        for attempt in 0..5 {
            let get = resumed(&server, "1").await;
            match attempt {
                4 if comes_back => get.stream(event("2", &answer(&id, "ok"))).await,
                0 | 2 => get.respond("503 Service Unavailable", "", "").await,
                1 => drop(get),
                // A stream, but nothing on it.
                _ => get.stream("").await,
            }
        }
        let called = calling.await.unwrap();
        match comes_back {
            true => assert_eq!(called.unwrap().text(), "ok"),
            false => assert!(
                matches!(called, Err(Error::RequestFailed { .. })),
                "{called:?}"
            ),
        }
    }
    server.hears_nothing().await;
}

#[tokio::test]
async fn a_call_that_is_given_up_in_a_pause_is_not_taken_up_again() {
    let (client, server) = connect_quiet(builder()).await;
    let calling = call(&client, "t", json!({}));
    let post = server.request("tools/call").await;
    let id = post.id();
    post.stream("id: 1\nretry: 100\ndata:\n\n").await;
    tokio::time::sleep(Duration::from_millis(30)).await;
    calling.abort();
    let cancelled = server.request("notifications/cancelled").await;
    assert_eq!(cancelled.json()["params"]["requestId"], id);
    cancelled.respond("202 Accepted", "", "").await;
    tokio::time::sleep(Duration::from_millis(150)).await;
    server.hears_nothing().await;
}

#[tokio::test]
async fn answers_to_others_do_not_end_a_stream() {
    let (client, server) = connect_quiet(builder()).await;
    let first = call(&client, "t", json!({}));
    let mut first_post = server.request("tools/call").await;
    first_post.begin_stream().await;
    let second = call(&client, "t", json!({}));
    let mut second_post = server.request("tools/call").await;
    second_post.begin_stream().await;
    second_post
        .write(event("b:1", &answer(&first_post.id(), "first")))
        .await;
    assert_eq!(first.await.unwrap().unwrap().text(), "first");
    let last = answer(&second_post.id(), "second");
    second_post.write(event("b:2", &last)).await;
    assert_eq!(second.await.unwrap().unwrap().text(), "second");
}
