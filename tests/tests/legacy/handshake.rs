//! How a connection begins, and which messages belong to it.

use std::time::Duration;

use mcp_server::prelude::*;
use mcp_tests::wire::{Wire, code, text};
use serde_json::{Value, json};

use crate::support::{REVISIONS, connect, echo, server, whoami};

fn initialize(version: &str) -> Value {
    json!({
        "protocolVersion": version, "capabilities": {},
        "clientInfo": {"name": "old", "version": "1"},
    })
}

/// A connection that says nothing of itself yet.
fn bare(server: &Server) -> Wire {
    let mut wire = Wire::open(server);
    wire.meta = Value::Null;
    wire
}

#[tokio::test]
async fn a_known_version_is_agreed_on() {
    let server = server(tools![echo]);
    for revision in REVISIONS {
        let mut wire = Wire::open(&server);
        let result = wire.shake_hands(revision, json!({})).await;
        assert_eq!(result["serverInfo"]["name"], "shop", "{revision}");
        assert_eq!(result["serverInfo"]["version"], "1.0.0");
        assert_eq!(result["instructions"], "Sells eggs.");
        assert_eq!(result["capabilities"]["logging"], json!({}));
        assert_eq!(
            result["capabilities"]["tools"],
            json!({"listChanged": true})
        );
        assert_eq!(result["capabilities"].get("prompts"), None);
        assert_eq!(
            text(&wire.call("echo", json!({"text": "é🎉"})).await),
            "é🎉"
        );
    }
}

#[tokio::test]
async fn any_other_version_leads_to_the_newest_with_a_handshake() {
    let server = server(tools![echo]);
    for version in ["2026-07-28", "2030-01-01", "2024-10-07", "", "latest"] {
        let mut wire = bare(&server);
        wire.revision = "2025-11-25";
        let answer = wire.request("initialize", initialize(version)).await;
        assert_eq!(
            answer["result"]["protocolVersion"], "2025-11-25",
            "{version}"
        );
        assert_eq!(text(&wire.call("echo", json!({"text": "x"})).await), "x");
    }
}

#[tokio::test]
async fn a_handshake_that_cannot_be_read_says_why_and_the_next_one_works() {
    let server = server(tools![echo]);
    let mut wire = bare(&server);
    wire.revision = "2025-06-18";
    for params in [
        json!({}),
        json!([]),
        json!({"protocolVersion": 5, "capabilities": {}}),
        json!({"protocolVersion": "2025-06-18", "capabilities": []}),
        json!({"protocolVersion": "2025-06-18", "capabilities": {"sampling": true}}),
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": "old"}),
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "old"}}),
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": 1, "version": "1"}}),
        json!({"protocolVersion": "2025-06-18", "capabilities": {"experimental": {"a": "x".repeat(40_000)}}}),
    ] {
        let message =
            json!({"jsonrpc": "2.0", "id": "a", "method": "initialize", "params": params});
        wire.send(&message).await;
        let answer = wire.receive().await;
        assert_eq!(code(&answer), -32602, "{params}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("protocolVersion"), "{message}");
    }
    // What every request would repeat must be readable, too: no lone half of a character, no name twice.
    for info in [
        r#"{"name":"\ud800","version":"1"}"#,
        r#"{"name":"a","name":"b","version":"1"}"#,
    ] {
        let params = format!(
            r#"{{"protocolVersion":"2025-06-18","capabilities":{{}},"clientInfo":{info}}}"#
        );
        let line =
            format!(r#"{{"jsonrpc":"2.0","id":"a","method":"initialize","params":{params}}}"#);
        wire.write(format!("{line}\n").as_bytes()).await;
        assert_eq!(code(&wire.receive().await), -32602, "{info}");
    }
    let answer = wire.request("tools/list", json!({})).await;
    assert_eq!(code(&answer), -32602, "there is no session: {answer}");
    wire.shake_hands("2025-06-18", json!({})).await;
    assert_eq!(text(&wire.call("echo", json!({"text": "x"})).await), "x");
}

/// What a client says of itself goes through each of its requests, so what is only to be shown is left out where it is long.
#[tokio::test]
async fn a_client_with_large_icons_is_known_by_its_name() {
    let server = server(tools![whoami]);
    let mut wire = bare(&server);
    wire.revision = "2025-11-25";
    let mut params = initialize("2025-11-25");
    let icon = format!("data:image/png;base64,{}", "A".repeat(100_000));
    params["clientInfo"]["icons"] = json!([{"src": icon}]);
    wire.request("initialize", params).await;
    let answer = wire.call("whoami", json!({})).await;
    assert_eq!(text(&answer), "old of 2025-11-25");
}

/// Whoever has said nothing yet is told both ways to begin, and may ask whether somebody is there.
#[tokio::test]
async fn before_the_handshake_everything_is_answered() {
    let server = server(tools![echo]);
    let mut wire = bare(&server);
    wire.revision = "2025-11-25";
    assert_eq!(wire.request("ping", json!({})).await["result"], json!({}));
    for method in ["tools/list", "tools/call", "server/discover"] {
        let answer = wire.request(method, json!({"name": "echo"})).await;
        assert_eq!(code(&answer), -32602, "{method}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(
            message.contains("_meta") && message.contains("initialize"),
            "{message}"
        );
    }
    for method in ["logging/setLevel", "what/ever"] {
        assert_eq!(
            code(&wire.request(method, json!({})).await),
            -32601,
            "{method}"
        );
    }
    // Nothing is said to notifications and to answers that nobody has asked for.
    wire.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        .await;
    wire.send(&json!({"jsonrpc": "2.0", "id": 1, "result": {}}))
        .await;
    wire.write(b"this is no message\n").await;
    assert_eq!(code(&wire.receive().await), -32700);
    wire.shake_hands("2024-11-05", json!({})).await;
    assert_eq!(text(&wire.call("echo", json!({"text": "x"})).await), "x");
}

/// Hosts set the log level and look around before they say that they are ready.
#[tokio::test]
async fn requests_are_served_before_the_client_says_that_it_is_ready() {
    let server = server(tools![echo]);
    for revision in REVISIONS {
        let mut wire = bare(&server);
        wire.revision = revision;
        wire.request("initialize", initialize(revision)).await;
        let level = json!({"level": "warning"});
        let answer = wire.request("logging/setLevel", level).await;
        assert_eq!(answer["result"], json!({}), "{revision}");
        assert_eq!(wire.request("ping", json!({})).await["result"], json!({}));
        let listed = wire.request("tools/list", json!({})).await;
        assert_eq!(listed["result"]["tools"][0]["name"], "echo");
        assert_eq!(text(&wire.call("echo", json!({"text": "x"})).await), "x");
    }
}

#[tokio::test]
async fn a_second_handshake_begins_anew() {
    let server = server(tools![whoami]);
    let mut wire = connect(&server, "2025-11-25").await;
    assert_eq!(
        text(&wire.call("whoami", json!({})).await),
        "wire of 2025-11-25"
    );
    wire.shake_hands("2024-11-05", json!({})).await;
    assert_eq!(
        text(&wire.call("whoami", json!({})).await),
        "wire of 2024-11-05"
    );
}

/// Each request says for itself what it is; a session does not change that.
#[tokio::test]
async fn a_request_of_today_is_served_as_such_after_a_handshake() {
    const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
    const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
    let server = server(tools![whoami]);
    let mut wire = connect(&server, "2025-06-18").await;
    // What fits no schema of the session's revision.
    wire.revision = mcp_tests::official::LATEST;
    let today = json!({VERSION: "2026-07-28", CAPABILITIES: {}});
    let answer = wire
        .request("tools/call", json!({"name": "whoami", "_meta": today}))
        .await;
    assert_eq!(text(&answer), " of 2026-07-28");
    assert_eq!(answer["result"]["resultType"], "complete");
    // Once either field says so, it is of today, however wrong.
    for (meta, expected) in [
        (json!({VERSION: "2026-07-28"}), -32602),
        (json!({CAPABILITIES: {}}), -32602),
        (json!({VERSION: 5, CAPABILITIES: {}}), -32602),
        (json!({VERSION: "2025-06-18", CAPABILITIES: {}}), -32022),
        (json!({VERSION: "2030-01-01", CAPABILITIES: {}}), -32022),
    ] {
        let params = json!({"name": "whoami", "_meta": meta});
        let answer = wire.request("tools/call", params).await;
        assert_eq!(code(&answer), expected, "{meta}");
        if expected == -32022 {
            assert_eq!(answer["error"]["data"]["supported"], json!(["2026-07-28"]));
        }
    }
    let ping = wire.request("ping", json!({"_meta": today})).await;
    assert_eq!(code(&ping), -32601, "the revision of today has no ping");
    wire.revision = "2025-06-18";
    assert_eq!(
        text(&wire.call("whoami", json!({})).await),
        "wire of 2025-06-18"
    );
}

#[tokio::test]
async fn methods_of_today_are_none_on_a_session() {
    let server = server(tools![echo]);
    for revision in REVISIONS {
        let mut wire = connect(&server, revision).await;
        for method in [
            "server/discover",
            "subscriptions/listen",
            "prompts/list",
            "x",
        ] {
            let params = json!({"notifications": {}});
            assert_eq!(
                code(&wire.request(method, params).await),
                -32601,
                "{method}"
            );
        }
        wire.assert_silent(Duration::from_millis(20)).await;
    }
}
