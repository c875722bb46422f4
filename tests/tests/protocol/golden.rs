//! The main messages as they are on the wire. A change here is a change for every client.

use mcp_server::{LoggingLevel, Progress, prelude::*};
use mcp_tests::wire::Wire;
use serde_json::{Value, json};

#[derive(Deserialize, JsonSchema, Form)]
struct Confirm {
    /// Check to delete the note for good.
    confirm: bool,
    /// Why?
    reason: Option<Reason>,
}

#[derive(Deserialize, JsonSchema, Form)]
#[serde(rename_all = "snake_case")]
enum Reason {
    #[form(title = "No longer needed")]
    Old,
    #[form(title = "Written by mistake")]
    Mistake,
}

#[derive(Serialize, JsonSchema)]
struct Stock {
    /// How many are left.
    left: u32,
}

/// Delete one note by id. Asks the user to confirm before deleting.
#[tool(destructive, idempotent)]
async fn delete_note(
    /// The note's id.
    note_id: String,
    #[elicit("Delete note {note_id}? This cannot be undone.")] answer: Elicit<Confirm>,
) -> String {
    match answer {
        Elicit::Accept(Confirm {
            confirm: true,
            reason,
        }) => {
            format!("Deleted note {note_id} ({}).", reason.is_some())
        }
        _ => format!("Kept note {note_id}."),
    }
}

/// Looks into the store.
#[tool(read_only, title = "Stock")]
async fn stock(
    /// The article.
    sku: String,
    /// At most so many.
    #[serde(default)]
    limit: Option<u8>,
    ctx: Context,
) -> Json<Stock> {
    ctx.progress(Progress::new(1.0).total(2.0).message("counting"));
    ctx.log(LoggingLevel::Warning, json!({"sku": sku}));
    Json(Stock {
        left: limit.map_or(9, u32::from),
    })
}

/// Connects an account.
#[tool]
async fn connect(
    #[resolve(Ask::url("Connect your account.", "https://pay.example/connect"))] done: Resolve<
        Confirm,
    >,
) -> bool {
    done.confirm
}

fn open() -> Wire {
    let server = Server::builder("notes", "1.2.3")
        .instructions("Keeps notes.")
        .tools(tools![delete_note, stock, connect])
        .build()
        .unwrap();
    Wire::open(&server)
}

/// One message, with what differs from run to run taken out.
fn shown(message: &Value) -> String {
    let mut message = message.clone();
    if let Some(state) = message.pointer_mut("/result/requestState") {
        assert!(state.as_str().unwrap().starts_with("v1."));
        *state = json!("v1.(sealed)");
    }
    format!("{message:#}")
}

#[tokio::test]
async fn discover_and_list() {
    let mut wire = open();
    insta::assert_snapshot!(
        "discover",
        shown(&wire.request("server/discover", json!({})).await)
    );
    insta::assert_snapshot!("list", shown(&wire.request("tools/list", json!({})).await));
}

#[tokio::test]
async fn a_call_that_asks() {
    let mut wire = open();
    let arguments = json!({"note_id": "n-1"});
    let asked = wire.call("delete_note", arguments.clone()).await;
    insta::assert_snapshot!("form", shown(&asked));
    let unfit =
        json!({"answer": {"action": "accept", "content": {"confirm": "yes", "reason": "old"}}});
    let again = wire
        .retry("delete_note", arguments.clone(), &asked, unfit)
        .await;
    insta::assert_snapshot!("form_again", shown(&again));
    let fit =
        json!({"answer": {"action": "accept", "content": {"confirm": true, "reason": "old"}}});
    let done = wire.retry("delete_note", arguments, &again, fit).await;
    insta::assert_snapshot!("text", shown(&done));
    insta::assert_snapshot!("page", shown(&wire.call("connect", json!({})).await));
}

#[tokio::test]
async fn a_structured_result_with_its_notifications() {
    let mut wire = open();
    wire.meta["progressToken"] = json!("t-1");
    wire.meta["io.modelcontextprotocol/logLevel"] = json!("info");
    wire.begin(
        "tools/call",
        json!({"name": "stock", "arguments": {"sku": "KG-1043"}}),
    )
    .await;
    let mut messages = Vec::new();
    for _ in 0..3 {
        messages.push(shown(&wire.receive().await));
    }
    insta::assert_snapshot!("progress_log_and_result", messages.join("\n"));
}

#[tokio::test]
async fn errors() {
    let mut wire = open();
    let mut messages = Vec::new();
    messages.push(shown(
        &wire.call("stock", json!({"sku": 7, "limitt": 1})).await,
    ));
    messages.push(shown(&wire.call("delete_notes", json!({})).await));
    messages.push(shown(&wire.request("prompts/list", json!({})).await));
    let params =
        json!({"name": "delete_note", "arguments": {"note_id": "n-1"}, "requestState": "v1.AAAA"});
    messages.push(shown(&wire.request("tools/call", params).await));
    wire.declare(json!({}));
    messages.push(shown(
        &wire.call("delete_note", json!({"note_id": "n-1"})).await,
    ));
    wire.meta["io.modelcontextprotocol/protocolVersion"] = json!("2025-11-25");
    messages.push(shown(&wire.request("tools/list", json!({})).await));
    wire.write(b"oops\n").await;
    messages.push(shown(&wire.receive().await));
    insta::assert_snapshot!("errors", messages.join("\n"));
}
