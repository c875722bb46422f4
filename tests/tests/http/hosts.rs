//! Which hosts are served, which pages may call, and what pages are told.

use mcp_tests::web::{Post, Site};
use serde_json::json;

use crate::{open, server};

/// Runs somewhere.
#[mcp_server::tool]
async fn routed(#[header("Region")] region: String) -> String {
    region
}

fn list() -> Post {
    Post::request("tools/list", json!({}))
}

#[tokio::test]
async fn a_loopback_listener_serves_loopback_names() {
    let (site, _) = open().await;
    for host in ["localhost", "LOCALHOST:8080", "127.0.0.1:9", "[::1]:8080"] {
        assert_eq!(
            site.send(&list().with("Host", host)).await.head.status,
            200,
            "{host}"
        );
    }
    for host in [
        "evil.test",
        "mcp.example.com",
        "localhost.evil.test",
        "127.0.0.1.evil.test",
    ] {
        let response = site.send(&list().with("Host", host)).await;
        assert_eq!(response.refusal(), (403, -32600), "{host}");
        assert_eq!(response.json().get("id"), None);
        let message = response.json()["error"]["message"].to_string();
        assert!(
            message.contains(host) && message.contains("allowed_hosts"),
            "{message}"
        );
    }
    assert_eq!(site.send(&list().without("Host")).await.refusal().0, 403);
    let twice = list().and("Host", "evil.test");
    assert_ne!(site.send(&twice).await.head.status, 200);
    let absolute = list().path("http://evil.test/mcp");
    assert_eq!(site.send(&absolute).await.head.status, 403);
}

/// However it is spelled, and whatever a proxy is said to have seen.
#[tokio::test]
async fn no_spelling_of_another_host_gets_through() {
    let (site, _) = open().await;
    for host in [
        "localhost@evil.test",
        "localhost:80@evil.test",
        "evil.test#localhost",
        "evil.test/localhost",
        "localhost.",
        "localhost, evil.test",
        "[::1%25lo]",
        "[fe80::1%25eth0]:80",
        "[::ffff:127.0.0.1]",
        "[::1]evil.test",
        "127.1",
        "2130706433",
        "0.0.0.0",
    ] {
        let refused = site.send(&list().with("Host", host)).await;
        assert_ne!(refused.head.status, 200, "{host}");
    }
    for target in [
        "http://evil.test/mcp",
        "http://localhost@evil.test/mcp",
        "http://evil.test:80/mcp",
    ] {
        for post in [list(), list().without("Host")] {
            let refused = site.send(&post.path(target)).await;
            assert_ne!(refused.head.status, 200, "{target}");
        }
    }
    let forwarded = list()
        .with("Host", "evil.test")
        .with("X-Forwarded-Host", "localhost")
        .with("Forwarded", "host=localhost");
    assert_eq!(site.send(&forwarded).await.head.status, 403);
    let twice = list()
        .and("Origin", "http://localhost")
        .and("Origin", "http://evil.test");
    assert_eq!(site.send(&twice).await.head.status, 403);
}

#[tokio::test]
async fn pages_of_other_sites_may_not_call() {
    let (site, _) = open().await;
    for (origin, status) in [
        ("http://localhost:3000", 200),
        ("http://127.0.0.1", 200),
        ("null", 403),
        ("http://localhost.evil.test", 403),
        ("https://evil.test", 403),
    ] {
        let response = site.send(&list().with("Origin", origin)).await;
        assert_eq!(response.head.status, status, "{origin}");
        assert_eq!(response.head.header("vary"), Some("Origin"), "{origin}");
        let allowed = response.head.header("access-control-allow-origin");
        assert_eq!(allowed, (status == 200).then_some(origin));
        if status == 403 {
            let message = response.json()["error"]["message"].to_string();
            assert!(message.contains("allowed_origins"), "{message}");
        }
    }
}

/// A body that nobody may send is not waited for.
#[tokio::test]
async fn a_foreign_request_is_refused_before_its_body_is_there() {
    let (site, _) = open().await;
    for (name, value) in [("Host", "evil.test"), ("Origin", "http://evil.test")] {
        let mut connection = site.connect().await;
        let post = list().with(name, value).to_bytes();
        let head = post.windows(4).position(|end| end == b"\r\n\r\n").unwrap() + 4;
        assert!(connection.write(&post[..head]).await);
        assert_eq!(connection.head().await.status, 403);
    }
}

#[tokio::test]
async fn listed_hosts_and_origins_are_served_beside_loopback_names() {
    let (server, _) = server();
    let http = server
        .http()
        .allowed_hosts(["mcp.example.com"])
        .allowed_origins(["https://app.example.com", "null"]);
    let site = Site::open(http).await;
    for (host, origin, status) in [
        ("mcp.example.com", None, 200),
        ("mcp.example.com:8443", Some("https://app.example.com"), 200),
        ("localhost", Some("null"), 200),
        ("localhost", Some("http://app.example.com"), 403),
        ("localhost", Some("https://app.example.com:8443"), 403),
        ("other.example.com", None, 403),
    ] {
        let mut post = list().with("Host", host);
        if let Some(origin) = origin {
            post = post.with("Origin", origin);
        }
        let response = site.send(&post).await;
        assert_eq!(response.head.status, status, "{host} {origin:?}");
    }
}

#[tokio::test]
async fn a_preflight_says_what_a_page_may_send() {
    let work = std::sync::Arc::default();
    let server = crate::server_of(&work)
        .tools(mcp_server::tools![routed])
        .build()
        .unwrap();
    let site = Site::open(server.http().allowed_origins(["https://app.example.com"])).await;
    let preflight = Post::bytes("")
        .verb("OPTIONS")
        .without("Content-Type")
        .without("MCP-Protocol-Version")
        .with("Access-Control-Request-Method", "POST")
        .with("Access-Control-Request-Headers", "content-type,mcp-method");
    let response = site
        .send(&preflight.clone().with("Origin", "https://app.example.com"))
        .await;
    assert_eq!(response.head.status, 204);
    let header = |name: &str| response.head.header(name).unwrap_or_default().to_owned();
    assert_eq!(
        header("access-control-allow-origin"),
        "https://app.example.com"
    );
    assert_eq!(header("access-control-allow-methods"), "GET, POST, DELETE");
    assert!(!header("access-control-max-age").is_empty());
    assert_eq!(header("vary"), "Origin");
    assert_eq!(
        response.head.header("access-control-allow-credentials"),
        None
    );
    let allowed = header("access-control-allow-headers");
    let allowed: Vec<&str> = allowed.split(", ").collect();
    for name in [
        "content-type",
        "accept",
        "authorization",
        "mcp-protocol-version",
        "mcp-method",
        "mcp-name",
        "mcp-param-region",
    ] {
        assert!(allowed.contains(&name), "{name}: {allowed:?}");
    }
    let response = site
        .send(&preflight.clone().with("Origin", "https://evil.test"))
        .await;
    assert_eq!(response.head.status, 403);
    assert_eq!(response.head.header("access-control-allow-origin"), None);
    // Whoever is no page is told the methods.
    let response = site.send(&preflight).await;
    assert_eq!(response.head.status, 204);
    let allow = response.head.header("allow");
    assert_eq!(allow, Some("GET, POST, DELETE, OPTIONS"));
    assert_eq!(response.head.header("access-control-allow-methods"), None);
}

/// A page must be able to read why it was refused.
#[tokio::test]
async fn errors_can_be_read_by_the_page_too() {
    let (site, _) = open().await;
    let origin = "http://localhost:3000";
    for (post, status) in [
        (list().verb("GET"), 405),
        (list().with("Accept", "text/html"), 406),
        (list().with("Content-Type", "text/plain"), 415),
        (list().path("/elsewhere"), 404),
        (list().without("Mcp-Method"), 400),
        (Post::request("ping", json!({})), 404),
    ] {
        let response = site.send(&post.with("Origin", origin)).await;
        assert_eq!(response.head.status, status);
        assert_eq!(
            response.head.header("access-control-allow-origin"),
            Some(origin)
        );
        let exposed = response.head.header("access-control-expose-headers");
        assert!(exposed.unwrap().contains("www-authenticate"));
    }
}

#[tokio::test]
async fn any_origin_is_allowed_as_a_star_and_never_with_credentials() {
    let (server, _) = server();
    let site = Site::open(server.http().allowed_origins(["*"])).await;
    let response = site
        .send(&list().with("Origin", "https://anything.test"))
        .await;
    assert_eq!(response.head.status, 200);
    assert_eq!(
        response.head.header("access-control-allow-origin"),
        Some("*")
    );
    assert_eq!(
        response.head.header("access-control-allow-credentials"),
        None
    );
    let response = site.send(&list().with("Origin", "null")).await;
    assert_eq!(response.head.status, 403);
}
