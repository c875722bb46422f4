//! Tests of sessions over time, by a clock that is set forward; and of what many of them cost.

use std::{future::poll_fn, pin::Pin, time::Duration};

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use http_body_util::Full;
use mcp_server::{HttpBody, StreamableHttp, prelude::*};
use serde_json::{Value, json};
use tokio::{
    runtime::Handle,
    time::{advance, sleep},
};
use tower::ServiceExt;

use crate::old::{NEWEST, call, initialize, request};

/// Takes two minutes.
#[tool]
async fn slow(ctx: Context) -> &'static str {
    ctx.log(mcp_server::LoggingLevel::Info, "begun");
    sleep(Duration::from_secs(120)).await;
    "done"
}

fn http() -> StreamableHttp {
    let server = Server::builder("shop", "1.0.0").tools(tools![slow]);
    server.build().unwrap().http()
}

async fn send(
    http: &StreamableHttp,
    verb: &str,
    headers: &[(&str, &str)],
    body: &Value,
) -> Response<HttpBody> {
    let mut request = Request::builder()
        .method(verb)
        .uri("/")
        .header("host", "localhost")
        .header("content-type", "application/json");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let body = Full::<Bytes>::from(body.to_string());
    http.clone()
        .oneshot(request.body(body).unwrap())
        .await
        .unwrap()
}

/// A new session.
async fn begin(http: &StreamableHttp) -> String {
    let response = send(http, "POST", &[], &initialize(NEWEST)).await;
    assert_eq!(response.status(), 200);
    let id = response.headers()["mcp-session-id"].to_str().unwrap();
    id.to_owned()
}

/// The status of a message of a session.
async fn status(http: &StreamableHttp, session: &str, message: &Value) -> u16 {
    let headers = [("mcp-session-id", session)];
    send(http, "POST", &headers, message)
        .await
        .status()
        .as_u16()
}

async fn ping(http: &StreamableHttp, session: &str) -> u16 {
    status(http, session, &request(1, "ping", json!({}))).await
}

/// The next piece of a stream; none at its end.
async fn next(body: &mut HttpBody) -> Option<Bytes> {
    let frame = poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx)).await?;
    frame.unwrap().into_data().ok()
}

/// A tool of two minutes, with sessions that are kept for thirty seconds; and a client that only listens.
#[tokio::test(start_paused = true)]
async fn what_works_and_who_listens_is_not_idle() {
    let http = http().session_idle(Duration::from_secs(30));
    let (works, listens, idles) = (begin(&http).await, begin(&http).await, begin(&http).await);
    // Its connection breaks at once.
    assert_eq!(
        status(&http, &works, &call(1, "slow", json!({}))).await,
        200
    );
    let headers = [("mcp-session-id", &*listens)];
    let listening = send(&http, "GET", &headers, &Value::Null).await;
    let mut listening = listening.into_body();
    assert_eq!(next(&mut listening).await.unwrap(), ":\n\n");
    sleep(Duration::from_secs(29)).await;
    assert_eq!(http.sessions(), 3);
    sleep(Duration::from_secs(90)).await;
    assert_eq!(http.sessions(), 2);
    assert_eq!(ping(&http, &idles).await, 404);
    assert_eq!(ping(&http, &listens).await, 200);
    // The call is done now, and its result still there.
    sleep(Duration::from_secs(2)).await;
    let headers = [("mcp-session-id", &*works), ("last-event-id", "1-0")];
    let resumed = send(&http, "GET", &headers, &Value::Null).await;
    assert_eq!(resumed.status(), 200);
    let mut body = resumed.into_body();
    let mut text = String::new();
    while let Some(piece) = next(&mut body).await {
        text.push_str(std::str::from_utf8(&piece).unwrap());
    }
    assert!(text.contains("begun") && text.contains("done"), "{text}");
    drop(body);
    // And from now on it is idle.
    sleep(Duration::from_secs(35)).await;
    assert_eq!(http.sessions(), 1);
    drop(listening);
    sleep(Duration::from_secs(35)).await;
    assert_eq!(http.sessions(), 0);
}

/// Nobody says goodbye.
#[tokio::test(start_paused = true)]
async fn ten_thousand_abandoned_sessions_leave_nothing() {
    let http = http().max_sessions(4_000);
    let mut first = None;
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    for _ in 0..10_000 {
        let id = begin(&http).await;
        assert_eq!(status(&http, &id, &initialized).await, 202);
        first.get_or_insert(id);
        advance(Duration::from_millis(1)).await;
    }
    assert_eq!(http.sessions(), 4_000);
    assert_eq!(ping(&http, &first.unwrap()).await, 404);
    // They have no task each: one looks after all of them.
    let tasks = Handle::current().metrics();
    assert_eq!(tasks.num_alive_tasks(), 1);
    sleep(Duration::from_secs(31 * 60)).await;
    assert_eq!(http.sessions(), 0);
    assert_eq!(tasks.num_alive_tasks(), 0);
    // And whoever comes now is served.
    let id = begin(&http).await;
    assert_eq!(ping(&http, &id).await, 200);
    assert_eq!(tasks.num_alive_tasks(), 1);
}

/// A stream that has ended can be taken up for a while, and not for ever.
#[tokio::test(start_paused = true)]
async fn what_has_ended_is_forgotten_after_a_while() {
    let http = http();
    let id = begin(&http).await;
    assert_eq!(status(&http, &id, &call(1, "slow", json!({}))).await, 200);
    sleep(Duration::from_secs(125)).await;
    for (minutes, expected) in [(0, 200), (4, 200), (2, 400)] {
        sleep(Duration::from_secs(60 * minutes)).await;
        let headers = [("mcp-session-id", &*id), ("last-event-id", "1-0")];
        let resumed = send(&http, "GET", &headers, &Value::Null).await;
        assert_eq!(resumed.status(), expected, "{minutes}");
    }
}

/// Who drops the endpoint ends its sessions, and what is under way in them.
#[tokio::test(start_paused = true)]
async fn sessions_end_with_their_endpoint() {
    let http = http();
    let id = begin(&http).await;
    let headers = [("mcp-session-id", &*id)];
    let body = send(&http, "POST", &headers, &call(1, "slow", json!({}))).await;
    let mut body = body.into_body();
    next(&mut body).await.unwrap();
    drop(http);
    let began = tokio::time::Instant::now();
    while next(&mut body).await.is_some() {}
    assert_eq!(began.elapsed(), Duration::ZERO);
    sleep(Duration::from_secs(31)).await;
    assert_eq!(Handle::current().metrics().num_alive_tasks(), 0);
}

/// What nobody waits for has a limit for all sessions together: the oldest goes.
#[tokio::test(start_paused = true)]
async fn calls_that_were_left_behind_have_a_limit() {
    let http = http();
    let waits = begin(&http).await;
    let headers = [("mcp-session-id", &*waits)];
    let body = send(&http, "POST", &headers, &call(1, "slow", json!({}))).await;
    let mut body = body.into_body();
    next(&mut body).await.unwrap();
    let mut sessions = Vec::new();
    for _ in 0..40 {
        let id = begin(&http).await;
        for call_id in 0..256 {
            let message = call(call_id, "slow", json!({}));
            assert_eq!(status(&http, &id, &message).await, 200);
        }
        sessions.push(id);
    }
    sleep(Duration::from_millis(1)).await;
    // One task looks after the sessions.
    let tasks = Handle::current().metrics().num_alive_tasks();
    assert!(tasks <= 10_001, "{tasks}");
    let resume = |id: &str| {
        let headers = [
            ("mcp-session-id", id.to_owned()),
            ("last-event-id", "1-0".to_owned()),
        ];
        let http = http.clone();
        async move {
            let headers: Vec<_> = headers.iter().map(|(n, v)| (*n, &**v)).collect();
            let mut body = send(&http, "GET", &headers, &Value::Null).await.into_body();
            let mut text = String::new();
            while let Some(piece) = next(&mut body).await {
                text.push_str(std::str::from_utf8(&piece).unwrap());
            }
            text
        }
    };
    // The first one was given up, the last one was not, and neither was that whose client is there.
    assert!(!resume(&sessions[0]).await.contains("done"));
    assert!(resume(&sessions[39]).await.contains("done"));
    let mut text = String::new();
    while let Some(piece) = next(&mut body).await {
        text.push_str(std::str::from_utf8(&piece).unwrap());
    }
    assert!(text.contains("done"), "{text}");
}

/// In an application, which has a listener of its own.
#[tokio::test(start_paused = true)]
async fn questions_end_with_the_server_wherever_it_is() {
    let server = Server::builder("shop", "1.0.0").tools(tools![crate::confirmed]);
    let server = server.build().unwrap();
    let http = server.http();
    let id = begin(&http).await;
    let headers = [("mcp-session-id", &*id)];
    let call = call(1, "confirmed", json!({}));
    let mut body = send(&http, "POST", &headers, &call).await.into_body();
    next(&mut body).await.unwrap();
    let question = next(&mut body).await.unwrap();
    assert!(
        std::str::from_utf8(&question)
            .unwrap()
            .contains("elicitation/create")
    );
    server.shutdown().begin();
    let began = tokio::time::Instant::now();
    let answer = next(&mut body).await.unwrap();
    assert!(std::str::from_utf8(&answer).unwrap().contains("isError"));
    assert!(began.elapsed() < Duration::from_secs(1));
}
