//! What a POST may carry, and the status of each answer.

use mcp_tests::{
    web::{Post, Site},
    wire::text,
};
use serde_json::{Value, json};

use crate::{meta, open, server};

#[tokio::test]
async fn an_answer_is_one_json_message_of_known_length() {
    let (site, _) = open().await;
    let response = site.send(&Post::call("echo", json!({"text": "hé"}))).await;
    assert_eq!(response.head.status, 200);
    assert_eq!(response.head.header("transfer-encoding"), None);
    let message = response.json();
    assert_eq!(message["id"], 7);
    assert_eq!(text(&message), "hé");
}

#[tokio::test]
async fn a_connection_serves_one_request_after_the_other() {
    let (site, _) = open().await;
    let mut connection = site.connect().await;
    for round in 0..3 {
        let round = round.to_string();
        connection
            .send(&Post::call("echo", json!({"text": round})))
            .await;
        assert_eq!(text(&connection.response().await.json()), round);
    }
    connection
        .send(&Post::request("server/discover", json!({})))
        .await;
    let message = connection.response().await.json();
    assert_eq!(
        message["result"]["supportedVersions"],
        json!(["2026-07-28"])
    );
}

#[tokio::test]
async fn a_question_goes_out_and_comes_back() {
    let (site, _) = open().await;
    let first = site.send(&Post::call("confirmed", json!({}))).await.json();
    assert_eq!(first["result"]["resultType"], "input_required");
    let params = mcp_tests::wire::retry_params(
        "confirmed",
        json!({}),
        &first,
        json!({"answer": {"action": "accept", "content": {"confirm": true}}}),
    );
    let done = site.send(&Post::request("tools/call", params)).await.json();
    assert_eq!(text(&done), "Accept(Confirm { confirm: true })");
}

#[tokio::test]
async fn notifications_are_accepted_without_a_word() {
    let (site, _) = open().await;
    for (method, params) in [
        ("notifications/cancelled", json!({"requestId": 7})),
        ("notifications/initialized", json!({})),
        ("notifications/whatever", json!({"a": [1]})),
    ] {
        let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        for post in [
            Post::bytes(message.to_string()),
            Post::bytes(message.to_string()).without("MCP-Protocol-Version"),
        ] {
            let response = site.send(&post).await;
            assert_eq!(response.head.status, 202, "{method}");
            assert_eq!(response.body, "");
            assert_eq!(response.head.header("content-type"), None);
        }
    }
}

#[tokio::test]
async fn what_is_no_request_is_refused_and_nothing_runs() {
    let (site, work) = open().await;
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"forever"}}"#;
    for (body, code) in [
        ("[]".to_owned(), -32600),
        (format!("[{call}]"), -32600),
        (
            r#"[{"jsonrpc":"2.0","method":"notifications/x"}]"#.to_owned(),
            -32600,
        ),
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#.to_owned(), -32600),
        (
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}"#.to_owned(),
            -32600,
        ),
        ("{".to_owned(), -32700),
        (String::new(), -32700),
        ("7".to_owned(), -32600),
        (r#"{"jsonrpc":"1.0","method":"x"}"#.to_owned(), -32600),
        (
            r#"{"jsonrpc":"2.0","id":null,"method":"x"}"#.to_owned(),
            -32600,
        ),
    ] {
        let response = site.send(&Post::bytes(body.clone())).await;
        assert_eq!(response.refusal(), (400, code), "{body}");
        assert_eq!(response.json().get("id"), None, "{body}");
    }
    let response = site.send(&Post::bytes(b"{\"a\":\"\xff\"}".to_vec())).await;
    assert_eq!(response.refusal(), (400, -32700));
    assert_eq!(work.begun.load(std::sync::atomic::Ordering::SeqCst), 0);
}

/// What the official suite asks about `_meta` and versions, with the id in each error.
#[tokio::test]
async fn what_a_request_lacks_is_said_with_its_status_and_id() {
    let (site, _) = open().await;
    let version = "io.modelcontextprotocol/protocolVersion";
    let capabilities = "io.modelcontextprotocol/clientCapabilities";
    let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": {}});
    let bare = Post::bytes(call.to_string()).with("Mcp-Method", "tools/list");
    let list = |meta: Value| Post::request("tools/list", json!({"_meta": meta}));
    let cases = [
        (bare, 400, -32602),
        (list(meta(|m| drop(m.remove(version)))), 400, -32602),
        (list(meta(|m| drop(m.remove(capabilities)))), 400, -32602),
        (list(meta(|m| m[version] = json!(5))), 400, -32602),
        (list(meta(|m| m[version] = json!("v999.0.0"))), 400, -32020),
        (
            list(meta(|m| m[version] = json!("v999.0.0"))).with("MCP-Protocol-Version", "v999.0.0"),
            400,
            -32022,
        ),
        (
            list(meta(|_| ())).without("MCP-Protocol-Version"),
            400,
            -32020,
        ),
        (
            list(meta(|m| m[version] = json!("2025-11-25"))),
            400,
            -32020,
        ),
        (Post::call("nobody", json!({})), 400, -32602),
        (
            Post::request(
                "tools/call",
                json!({"name": "confirmed", "_meta": meta(|_| ())}),
            ),
            400,
            -32021,
        ),
    ];
    for (post, status, code) in cases {
        let response = site.send(&post).await;
        assert_eq!(response.refusal(), (status, code), "{}", response.body);
        assert_eq!(response.json()["id"], 7, "{}", response.body);
    }
    let future = list(meta(|m| m[version] = json!("2030-01-01")));
    let response = site
        .send(&future.with("MCP-Protocol-Version", "2030-01-01"))
        .await;
    let data = &response.json()["error"]["data"];
    assert_eq!(
        *data,
        json!({"supported": ["2026-07-28"], "requested": "2030-01-01"})
    );
    let without_client = list(meta(|_| ()));
    assert_eq!(site.send(&without_client).await.head.status, 200);
}

#[tokio::test]
async fn an_unknown_method_is_not_found() {
    let (site, _) = open().await;
    for method in [
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/unsubscribe",
        "unknown/method",
    ] {
        let response = site.send(&Post::request(method, json!({}))).await;
        assert_eq!(response.refusal(), (404, -32601), "{method}");
        assert_eq!(response.json()["id"], 7, "{method}");
    }
}

/// Specification: basic/versioning, Compatibility Matrix; basic/transports/streamable-http, Protocol Version Header.
#[tokio::test]
async fn a_handshake_of_a_version_that_is_not_spoken_is_refused_with_those_that_are() {
    let (site, _) = open().await;
    let initialize = json!({"jsonrpc": "2.0", "id": 7, "method": "initialize", "params": {
        "protocolVersion": "2030-01-01", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"},
    }});
    let post = Post::bytes(initialize.to_string()).with("MCP-Protocol-Version", "2030-01-01");
    let response = site.send(&post).await;
    assert_eq!(response.refusal(), (400, -32022));
    let error = &response.json()["error"];
    assert_eq!(error["data"]["supported"], json!(["2026-07-28"]));
}

#[tokio::test]
async fn only_posts_are_taken() {
    let (site, _) = open().await;
    for verb in ["GET", "DELETE", "PUT", "PATCH"] {
        let response = site
            .send(&Post::request("tools/list", json!({})).verb(verb))
            .await;
        assert_eq!(response.refusal(), (405, -32600), "{verb}");
        assert_eq!(
            response.head.header("allow"),
            Some("GET, POST, DELETE, OPTIONS"),
            "{verb}"
        );
        assert_eq!(response.json().get("id"), None, "{verb}");
    }
}

/// Sessions and resumption belong to earlier revisions.
#[tokio::test]
async fn session_ids_and_event_ids_are_passed_over() {
    let (site, _) = open().await;
    let post = Post::call("echo", json!({"text": "x"}))
        .with("Mcp-Session-Id", "abc")
        .with("Last-Event-ID", "7");
    let response = site.send(&post).await;
    assert_eq!(text(&response.json()), "x");
    assert_eq!(response.head.header("mcp-session-id"), None);
}

/// The same ids at the same time are different requests.
#[tokio::test]
async fn ids_of_different_requests_are_not_compared() {
    let (server, work) = server();
    let site = Site::open(server.http()).await;
    let (mut one, mut two) = (site.connect().await, site.connect().await);
    one.send(&Post::call("silent", json!({}))).await;
    crate::reached(&work.begun, 1).await;
    two.send(&Post::call("echo", json!({"text": "two"}))).await;
    assert_eq!(text(&two.response().await.json()), "two");
    work.gate.notify_one();
    assert_eq!(text(&one.response().await.json()), "said at last");
}
