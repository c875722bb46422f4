//! One endpoint, requests of all eras: which one a request is of.

use mcp_tests::web::Post;
use serde_json::{Value, json};

use crate::old::{NEWEST, Old, call, initialize, open, post, request, text};

const VERSION: &str = "MCP-Protocol-Version";

#[tokio::test]
async fn stateless_requests_and_sessions_are_served_side_by_side() {
    let (site, _) = open().await;
    let old = Old::begin(&site, NEWEST).await;
    for _ in 0..2 {
        let today = site.send(&Post::call("echo", json!({"text": "now"}))).await;
        assert_eq!(today.head.header("mcp-session-id"), None);
        let today = today.json();
        assert_eq!(today["result"]["resultType"], "complete");
        let then = old.ask(&call(1, "echo", json!({"text": "then"}))).await;
        assert_eq!(then["result"].get("resultType"), None);
        assert_eq!(text(&then), "then");
    }
}

/// In neither place a request may say that it is of today and be served as an earlier one.
#[tokio::test]
async fn what_says_that_it_is_of_today_is_never_served_as_an_earlier_one() {
    let (site, work) = open().await;
    let old = Old::begin(&site, NEWEST).await;
    let today = |method: &str| {
        let params = json!({"name": "silent", "_meta": crate::eras::meta()});
        request(7, method, params)
    };
    let bare = |method: &str| request(7, method, json!({"name": "silent"}));
    for (what, post, expected) in [
        // The header says today's version, and the body says nothing.
        (
            "header",
            old.post(&bare("tools/list"))
                .with(VERSION, "2026-07-28")
                .with("Mcp-Method", "tools/list"),
            (400, -32602),
        ),
        (
            "ping",
            old.post(&bare("ping"))
                .with(VERSION, "2026-07-28")
                .with("Mcp-Method", "ping"),
            (404, -32601),
        ),
        (
            "handshake",
            old.post(&initialize(NEWEST)).with(VERSION, "2026-07-28"),
            (404, -32601),
        ),
        // The body says today's version, and the header another one, or nothing.
        ("body", old.post(&today("tools/call")), (400, -32020)),
        (
            "body without a session",
            post(&today("tools/call")).with(VERSION, NEWEST),
            (400, -32020),
        ),
        ("body alone", post(&today("tools/call")), (400, -32020)),
        (
            "handshake in the body",
            post(&today("initialize")),
            (400, -32020),
        ),
        (
            "both headers",
            old.post(&bare("tools/list")).and(VERSION, "2026-07-28"),
            (400, -32020),
        ),
        // A version that is none.
        (
            "unknown",
            post(&bare("tools/list")).with(VERSION, "1999-01-01"),
            (400, -32020),
        ),
        (
            "unknown in a session",
            old.post(&bare("tools/list")).with(VERSION, "1999-01-01"),
            (400, -32600),
        ),
    ] {
        let response = site.send(&post).await;
        assert_eq!(response.refusal(), expected, "{what}: {response:?}");
        assert_eq!(response.head.header("mcp-session-id"), None, "{what}");
    }
    assert_eq!(work.begun.load(std::sync::atomic::Ordering::SeqCst), 0);
}

/// The `_meta` of today.
pub(crate) fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

#[tokio::test]
async fn an_earlier_version_without_a_session_is_told_what_is_missing() {
    let (site, _) = open().await;
    for message in [
        request(1, "tools/list", json!({})),
        request(1, "ping", json!({})),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
    ] {
        let response = site.send(&post(&message).with(VERSION, NEWEST)).await;
        assert_eq!(response.refusal(), (400, -32600), "{message}");
        assert!(
            response.body.contains("Mcp-Session-Id"),
            "{}",
            response.body
        );
    }
}

#[tokio::test]
async fn a_handshake_may_name_its_version_in_the_header() {
    let (site, _) = open().await;
    for version in ["2024-11-05", "2025-06-18", NEWEST] {
        let post = post(&initialize(NEWEST)).with(VERSION, version);
        // A client that knows today's headers may send them before it falls back.
        let post = post.with("Mcp-Method", "initialize");
        let response = site.send(&post).await;
        assert_eq!(response.head.status, 200);
        assert!(response.head.header("mcp-session-id").is_some());
    }
}

/// The version in the header should be the negotiated one; what is spoken at all is served.
#[tokio::test]
async fn the_session_knows_its_version() {
    let (site, _) = open().await;
    let old = Old::begin(&site, "2025-03-26").await;
    let ping = request(1, "ping", json!({}));
    for version in ["2025-03-26", "2025-06-18"] {
        let response = site.send(&old.post(&ping).with(VERSION, version)).await;
        assert_eq!(response.head.status, 200);
    }
}

/// A client of 2025-03-26 has no header for its version.
#[tokio::test]
async fn a_request_that_says_nothing_is_told_both_ways() {
    let (site, _) = open().await;
    let response = site.send(&post(&request(1, "tools/list", json!({})))).await;
    assert_eq!(response.refusal(), (400, -32020));
    for name in ["MCP-Protocol-Version", "Mcp-Session-Id", "initialize"] {
        assert!(response.body.contains(name), "{}", response.body);
    }
}
