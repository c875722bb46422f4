//! Sessions: how they begin, whom they belong to, how they end.

use std::time::Duration;

use http_body_util::{BodyExt, Full};
use mcp_server::Identity;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::{
    old::{ALL, NEWEST, Old, call, initialize, open, open_with, post, request, text},
    server,
};

#[tokio::test]
async fn each_revision_has_sessions() {
    let (site, _) = open().await;
    for revision in ALL {
        let client = Old::begin(&site, revision).await;
        assert_eq!(
            client.ask(&request(1, "ping", json!({}))).await["result"],
            json!({})
        );
        let listed = client.ask(&request(2, "tools/list", json!({}))).await;
        assert!(listed["result"]["tools"].as_array().unwrap().len() > 3);
        let called = client.ask(&call(3, "echo", json!({"text": "hé"}))).await;
        assert_eq!(text(&called), "hé");
        assert_eq!(called["id"], 3);
        let failed = client.ask(&request(4, "tools/nothing", json!({}))).await;
        assert_eq!(failed["error"]["code"], -32601);
    }
}

#[tokio::test]
async fn a_version_that_is_not_known_is_agreed_down() {
    let (site, _) = open().await;
    for version in ["2030-01-01", "2026-07-28", "1.0"] {
        let response = site.send(&post(&initialize(version))).await;
        assert_eq!(response.head.status, 200);
        assert!(response.head.header("mcp-session-id").is_some());
        let answer: Value = serde_json::from_str(&response.body).unwrap();
        assert_eq!(answer["result"]["protocolVersion"], NEWEST);
    }
}

#[tokio::test]
async fn a_handshake_that_fails_begins_nothing() {
    let (site, _) = open().await;
    for params in [
        json!({}),
        json!({"protocolVersion": 5, "capabilities": {}}),
        json!([]),
    ] {
        let response = site.send(&post(&request(1, "initialize", params))).await;
        assert_eq!(response.head.status, 200, "{response:?}");
        let answer: Value = serde_json::from_str(&response.body).unwrap();
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        assert_eq!(response.head.header("mcp-session-id"), None);
    }
    // A part of it is kept, so it is not to be large.
    let mut large = initialize(NEWEST);
    large["params"]["clientInfo"]["title"] = "x".repeat(64 * 1024).into();
    assert_eq!(site.send(&post(&large)).await.head.status, 413);
    // Without an id, nobody waits for a session.
    let quiet = json!({"jsonrpc": "2.0", "method": "initialize", "params": {}});
    let response = site.send(&post(&quiet)).await;
    assert_eq!(response.head.status, 202);
    assert_eq!(response.head.header("mcp-session-id"), None);
}

#[tokio::test]
async fn a_session_ends_when_its_client_says_so() {
    let (site, work) = open().await;
    let client = Old::begin(&site, NEWEST).await;
    let other = Old::begin(&site, NEWEST).await;
    let mut waiting = client.stream(&call(1, "gated", json!({}))).await;
    waiting.priming().await;
    assert_eq!(text(&waiting.message().await.1), "before");
    let mut listening = client.open(&client.get(), None).await;
    let response = site.send(&client.delete()).await;
    assert_eq!((response.head.status, &*response.body), (204, ""));
    // What was under way is given up, and the connections end.
    assert_eq!(waiting.next().await, None);
    assert_eq!(listening.next().await, None);
    crate::reached(&work.dropped, 1).await;
    // From now on, it is as if it had never been.
    let ping = request(1, "ping", json!({}));
    for request in [
        client.post(&ping),
        client.get(),
        client.resume("1-0"),
        client.delete(),
    ] {
        let response = site.send(&request).await;
        assert_eq!(response.refusal(), (404, -32600), "{response:?}");
    }
    let quiet = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(client.send(&quiet).await.head.status, 404);
    assert_eq!(other.ask(&ping).await["result"], json!({}));
}

#[tokio::test]
async fn an_id_that_is_none_is_not_found() {
    let (site, _) = open().await;
    let ping = request(1, "ping", json!({}));
    for id in ["nonsense", "", "ü", "AAAAAAAAAAAAAAAAAAAAAA"] {
        let ping = post(&ping).with("Mcp-Session-Id", id);
        assert_eq!(site.send(&ping).await.head.status, 404, "{id}");
    }
    let twice = post(&ping)
        .and("Mcp-Session-Id", "a")
        .and("Mcp-Session-Id", "b");
    assert_eq!(site.send(&twice).await.head.status, 400);
}

#[tokio::test]
async fn when_there_are_too_many_the_longest_idle_goes() {
    let (site, work) = open_with(|http| http.max_sessions(2)).await;
    let ping = request(1, "ping", json!({}));
    let first = Old::begin(&site, NEWEST).await;
    let second = Old::begin(&site, NEWEST).await;
    first.ask(&ping).await;
    let third = Old::begin(&site, NEWEST).await;
    assert_eq!(second.send(&ping).await.head.status, 404);
    // With requests under way, none goes.
    let mut waiting = [
        first.stream(&call(1, "silent", json!({}))).await,
        third.stream(&call(1, "silent", json!({}))).await,
    ];
    crate::reached(&work.begun, 2).await;
    let refused = site.send(&post(&initialize(NEWEST))).await;
    assert_eq!(refused.refusal(), (503, -32600));
    assert!(refused.body.contains("max_sessions"), "{}", refused.body);
    work.gate.notify_waiters();
    for waiting in &mut waiting {
        assert_eq!(waiting.texts().await, ["said at last"]);
    }
    Old::begin(&site, NEWEST).await;
}

/// A call for which nobody waits holds no place against those who come.
#[tokio::test]
async fn a_session_that_was_left_with_a_call_goes_for_a_new_one() {
    let (site, work) = open_with(|http| http.max_sessions(2)).await;
    let waits = Old::begin(&site, NEWEST).await;
    let mut events = waits.stream(&call(1, "silent", json!({}))).await;
    let left = Old::begin(&site, NEWEST).await;
    drop(left.stream(&call(1, "silent", json!({}))).await);
    crate::reached(&work.begun, 2).await;
    // The server sees that it has gone.
    tokio::time::sleep(Duration::from_millis(100)).await;
    Old::begin(&site, NEWEST).await;
    crate::reached(&work.dropped, 1).await;
    let ping = request(2, "ping", json!({}));
    assert_eq!(left.send(&ping).await.head.status, 404);
    work.gate.notify_one();
    assert_eq!(events.texts().await, ["said at last"]);
}

#[derive(Clone)]
struct User(&'static str);

impl Identity for User {
    fn issuer(&self) -> &str {
        "https://login.example"
    }

    fn subject(&self) -> &str {
        self.0
    }
}

/// Who knows the id, and is somebody else, has no session.
#[tokio::test]
async fn a_session_is_its_principals() {
    let (server, _) = server();
    let http = server.http().principal_from::<User>();
    let send = |method: &str, user: Option<User>, session: Option<&str>, body: Value| {
        let mut request = http::Request::builder()
            .method(method)
            .uri("/")
            .header("host", "localhost")
            .header("content-type", "application/json")
            .body(Full::<bytes::Bytes>::from(body.to_string()))
            .unwrap();
        if let Some(session) = session {
            let session = session.parse().unwrap();
            request.headers_mut().insert("mcp-session-id", session);
        }
        if let Some(user) = user {
            request.extensions_mut().insert(user);
        }
        http.clone().oneshot(request)
    };
    let alice = Some(User("alice"));
    let begun = send("POST", alice.clone(), None, initialize(NEWEST))
        .await
        .unwrap();
    let id = begun.headers()["mcp-session-id"]
        .to_str()
        .unwrap()
        .to_owned();
    let ping = || request(1, "ping", json!({}));
    for other in [None, Some(User("bob"))] {
        for method in ["POST", "GET", "DELETE"] {
            let response = send(method, other.clone(), Some(&id), ping())
                .await
                .unwrap();
            assert_eq!(response.status(), 404, "{method}");
        }
    }
    let response = send("POST", alice.clone(), Some(&id), ping())
        .await
        .unwrap();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(body, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    let ended = send("DELETE", alice, Some(&id), Value::Null).await.unwrap();
    assert_eq!(ended.status(), 204);
}

/// An operator may do without them, for replicas that know nothing of each other.
#[tokio::test]
async fn there_may_be_none() {
    let (site, _) = open_with(|http| http.max_sessions(0)).await;
    let response = site.send(&post(&initialize(NEWEST))).await;
    assert_eq!(response.refusal(), (400, -32020));
    let error = &response.json()["error"];
    assert_eq!(error["data"]["supported"], json!(["2026-07-28"]));
    for verb in ["GET", "DELETE"] {
        let response = site.send(&post(&Value::Null).verb(verb)).await;
        assert_eq!(response.refusal(), (405, -32600));
    }
    let today = mcp_tests::web::Post::call("echo", json!({"text": "x"}));
    assert_eq!(text(&site.send(&today).await.json()), "x");
}
