//! Each request says which version it is of, and an old client is told what this server speaks.

use mcp_server::prelude::*;
use mcp_tests::wire::code;
use serde_json::{Value, json};

use crate::open;

/// Gives back what it gets.
#[tool]
async fn echo(text: String) -> String {
    text
}

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

#[tokio::test]
async fn discover_says_what_the_server_is_and_can_do() {
    let server = Server::builder("shop", "1.2.3")
        .title("The shop")
        .instructions("Sells eggs.")
        .tools(tools![echo])
        .build()
        .unwrap();
    let mut wire = mcp_tests::wire::Wire::open(&server);
    let answer = wire.request("server/discover", json!({})).await;
    let result = &answer["result"];
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["supportedVersions"], json!(["2026-07-28"]));
    assert_eq!(result["instructions"], "Sells eggs.");
    assert!(result["capabilities"]["tools"].is_object());
    assert!(result["capabilities"]["logging"].is_object());
    assert_eq!(result["capabilities"].get("prompts"), None);
    assert_eq!(result["capabilities"].get("resources"), None);
    let info = &result["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!(info["name"], "shop");
    assert_eq!(info["version"], "1.2.3");
    assert_eq!(info["title"], "The shop");
    // Cacheable, and by default not kept at all and never shared.
    assert_eq!(result["ttlMs"], 0);
    assert_eq!(result["cacheScope"], "private");
}

/// A missing field is no mismatch of versions: the error names the field.
#[tokio::test]
async fn what_every_request_must_carry_is_asked_for_by_name() {
    let mut wire = open(tools![echo]);
    let full = wire.meta.clone();
    for method in ["server/discover", "tools/list", "tools/call"] {
        for (meta, named) in [
            (json!({CAPABILITIES: {}}), VERSION),
            (json!({VERSION: "2026-07-28"}), CAPABILITIES),
            (json!({VERSION: 5, CAPABILITIES: {}}), "string"),
            (json!({VERSION: "2026-07-28", CAPABILITIES: []}), "_meta"),
            (json!({}), "io.modelcontextprotocol/"),
            (json!(7), "_meta"),
        ] {
            let params = json!({"name": "echo", "arguments": {"text": "x"}, "_meta": meta});
            let answer = wire.request(method, params).await;
            assert_eq!(code(&answer), -32602, "{method} {meta}");
            let message = answer["error"]["message"].as_str().unwrap();
            assert!(message.contains(named), "{method} {meta}: {message}");
        }
        wire.send(&json!({"jsonrpc": "2.0", "id": "bare", "method": method}))
            .await;
        let answer = wire.receive().await;
        assert_eq!(code(&answer), -32602, "{method}");
        assert!(
            answer["error"]["message"]
                .as_str()
                .unwrap()
                .contains("_meta"),
            "{answer}"
        );
        wire.send(&json!({"jsonrpc": "2.0", "id": "list", "method": method, "params": [full]}))
            .await;
        assert_eq!(code(&wire.receive().await), -32602, "{method}");
    }
}

#[tokio::test]
async fn another_version_is_refused_with_those_that_are_spoken() {
    let mut wire = open(tools![echo]);
    for version in ["2025-11-25", "2024-11-05", "2030-01-01", "", "latest"] {
        wire.meta[VERSION] = json!(version);
        for method in ["server/discover", "tools/list", "tools/call"] {
            let answer = wire.request(method, json!({"name": "echo"})).await;
            assert_eq!(code(&answer), -32022, "{version}");
            let data = &answer["error"]["data"];
            assert_eq!(data["supported"], json!(["2026-07-28"]));
            assert_eq!(data["requested"], version);
        }
    }
}

/// A request that says it is of today has no handshake to ask for, whatever version it names beside that.
#[tokio::test]
async fn initialize_of_today_is_answered_with_the_versions_that_are_spoken() {
    let mut wire = open(tools![echo]);
    for version in [
        "2024-11-05",
        "2025-03-26",
        "2025-11-25",
        "2026-07-28",
        "2030-01-01",
    ] {
        let params = json!({
            "protocolVersion": version, "capabilities": {},
            "clientInfo": {"name": "old", "version": "1"},
        });
        let answer: Value = wire.request("initialize", params).await;
        assert_eq!(code(&answer), -32601);
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("2026-07-28"), "{answer}");
        assert_eq!(answer["error"]["data"]["supported"], json!(["2026-07-28"]));
    }
}
