//! What holds for every method: hosts, origins, paths, limits; and what pages of other origins are told.

use mcp_server::prelude::*;
use mcp_tests::web::{Post, Site};
use serde_json::json;

use crate::{
    echo,
    old::{NEWEST, Old, call, initialize, open, open_with, post, request},
};

#[tokio::test]
async fn every_method_is_guarded() {
    let (site, _) = open().await;
    let client = Old::begin(&site, NEWEST).await;
    let ping = client.post(&request(1, "ping", json!({})));
    let methods = || {
        [
            ping.clone(),
            client.get(),
            client.delete(),
            client.resume("1-0"),
        ]
    };
    for request in methods() {
        let foreign = request.clone().with("Host", "evil.example.com");
        assert_eq!(site.send(&foreign).await.refusal(), (403, -32600));
        let foreign = request.clone().with("Origin", "https://evil.example.com");
        assert_eq!(site.send(&foreign).await.refusal(), (403, -32600));
        let elsewhere = request.path("/elsewhere");
        assert_eq!(site.send(&elsewhere).await.refusal(), (404, -32600));
    }
    // The session has not suffered.
    client.ask(&request(1, "ping", json!({}))).await;
}

#[tokio::test]
async fn a_handshake_is_guarded() {
    let (site, _) = open().await;
    let initialize = post(&initialize(NEWEST));
    for (name, value) in [
        ("Host", "evil.example.com"),
        ("Origin", "http://evil.example.com"),
    ] {
        let response = site.send(&initialize.clone().with(name, value)).await;
        assert_eq!(response.refusal(), (403, -32600));
        assert_eq!(response.head.header("mcp-session-id"), None);
    }
    let form = initialize.with("Content-Type", "text/plain");
    assert_eq!(site.send(&form).await.refusal(), (415, -32600));
}

#[tokio::test]
async fn pages_are_told_what_they_may_send_and_read() {
    let (site, _) = open_with(|http| http.allowed_origins(["https://app.example.com"])).await;
    let origin = "https://app.example.com";
    let ask = Post::bytes("").verb("OPTIONS").with("Origin", origin);
    let told = site.send(&ask).await;
    assert_eq!(told.head.status, 204);
    let methods = told.head.header("access-control-allow-methods").unwrap();
    for method in ["GET", "POST", "DELETE"] {
        assert!(methods.contains(method), "{methods}");
    }
    let headers = told.head.header("access-control-allow-headers").unwrap();
    for header in ["mcp-session-id", "last-event-id", "mcp-protocol-version"] {
        assert!(headers.contains(header), "{headers}");
    }
    let begun = site
        .send(&post(&initialize(NEWEST)).with("Origin", origin))
        .await;
    let exposed = begun.head.header("access-control-expose-headers").unwrap();
    assert!(exposed.contains("mcp-session-id"), "{exposed}");
    assert_eq!(
        begun.head.header("access-control-allow-origin"),
        Some(origin)
    );
}

#[tokio::test]
async fn other_methods_are_refused_with_those_that_there_are() {
    let (site, _) = open().await;
    let client = Old::begin(&site, NEWEST).await;
    for verb in ["PUT", "PATCH", "TRACE"] {
        let put = client.post(&request(1, "ping", json!({}))).verb(verb);
        let response = site.send(&put).await;
        assert_eq!(response.refusal(), (405, -32600));
        assert_eq!(
            response.head.header("allow"),
            Some("GET, POST, DELETE, OPTIONS")
        );
    }
    // Clients of today have no sessions, and so nothing to get or to delete.
    for verb in ["GET", "DELETE"] {
        let response = site.send(&Post::bytes("").verb(verb)).await;
        assert_eq!(response.refusal(), (405, -32600));
    }
}

#[tokio::test]
async fn messages_of_sessions_have_the_same_limits() {
    let server = Server::builder("shop", "1.0.0").tools(tools![echo]);
    let server = server.max_message_bytes(1000).build().unwrap();
    let site = std::sync::Arc::new(Site::open(server.http()).await);
    let client = Old::begin(&site, NEWEST).await;
    let large = client.post(&call(1, "echo", json!({"text": "x".repeat(1000)})));
    let response = site.send(&large).await;
    assert_eq!(response.refusal(), (413, -32600));
    assert!(response.body.contains("max_message_bytes"));
    for (body, code) in [("{", -32700), ("7", -32600), ("", -32700)] {
        let broken = Post::bytes(body)
            .without("MCP-Protocol-Version")
            .with("Mcp-Session-Id", &client.session);
        assert_eq!(site.send(&broken).await.refusal(), (400, code), "{body}");
    }
}
