//! A call that asks, end to end through the wire, without a client.
#![allow(clippy::unwrap_used, missing_docs)]

use mcp_server::prelude::*;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

#[derive(Deserialize, JsonSchema, Form)]
struct Confirm {
    /// Check to delete the note for good.
    confirm: bool,
}

/// Delete one note by id. Asks the user to confirm before deleting.
#[tool(destructive, idempotent)]
async fn delete_note(
    /// The note's id.
    note_id: String,
    #[elicit("Delete note {note_id}? This cannot be undone.")] answer: Elicit<Confirm>,
) -> String {
    match answer {
        Elicit::Accept(Confirm { confirm: true }) => format!("Deleted note {note_id}."),
        _ => format!("Kept note {note_id}."),
    }
}

/// Adds two numbers.
#[tool]
fn add(a: i64, #[serde(default)] b: i64) -> Json<i64> {
    Json(a + b)
}

#[tokio::test]
async fn a_call_asks_and_finishes() {
    let server = Server::builder("notes", "1.0.0")
        .tools(tools![delete_note, add])
        .build()
        .unwrap();
    let (client, end) = tokio::io::duplex(1 << 20);
    let (reader, writer) = tokio::io::split(end);
    tokio::spawn(async move { server.serve(reader, writer).await.unwrap() });
    let (reader, mut writer) = tokio::io::split(client);
    let mut lines = BufReader::new(reader).lines();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
    });
    let mut call = async |method: &str, mut params: Value| -> Value {
        params["_meta"] = meta.clone();
        let line = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        writer
            .write_all(format!("{line}\n").as_bytes())
            .await
            .unwrap();
        let answer = lines.next_line().await.unwrap().unwrap();
        println!("{answer}");
        serde_json::from_str(&answer).unwrap()
    };
    call("server/discover", json!({})).await;
    call("tools/list", json!({})).await;
    let arguments = json!({"note_id": "n1"});
    let asked = call(
        "tools/call",
        json!({"name": "delete_note", "arguments": arguments}),
    )
    .await;
    assert_eq!(asked["result"]["resultType"], "input_required");
    let answered = call(
        "tools/call",
        json!({
            "name": "delete_note",
            "arguments": arguments,
            "requestState": asked["result"]["requestState"],
            "inputResponses": {"answer": {"action": "accept", "content": {"confirm": true}}},
        }),
    )
    .await;
    assert_eq!(answered["result"]["content"][0]["text"], "Deleted note n1.");
    let sum = call(
        "tools/call",
        json!({"name": "add", "arguments": {"a": 5.0, "b": null}}),
    )
    .await;
    assert_eq!(sum["result"]["structuredContent"]["result"], 5);
    let bad = call(
        "tools/call",
        json!({"name": "add", "arguments": {"a": "5", "c": 1}}),
    )
    .await;
    assert_eq!(bad["result"]["isError"], true);
}
