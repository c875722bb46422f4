//! Tools that several topics use.

use mcp_server::{LoggingLevel, ToolSet, prelude::*};
pub(crate) use mcp_tests::inputs::{list_roots, write_line};
use mcp_tests::wire::Wire;
use serde_json::{Value, json};

/// Those with a handshake, oldest first.
pub(crate) const REVISIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// Those of them in which the user can be asked.
pub(crate) const ASKING: [&str; 2] = ["2025-06-18", "2025-11-25"];

#[derive(Debug, Clone, Deserialize, JsonSchema, Form)]
pub(crate) struct Confirm {
    /// Check to go ahead.
    pub(crate) confirm: bool,
}

#[derive(Debug, Clone, Deserialize, JsonSchema, Form)]
pub(crate) struct Amount {
    /// How many?
    #[schemars(range(min = 1, max = 9))]
    pub(crate) amount: u8,
}

/// Gives back what it gets.
#[tool]
pub(crate) async fn echo(text: String) -> String {
    text
}

/// Asks before it goes on.
#[tool]
pub(crate) async fn confirm(
    what: String,
    #[elicit("Go on with {what}?")] answer: Elicit<Confirm>,
) -> String {
    format!("{what}: {answer:?}")
}

/// Says how far it is, and what it does.
#[tool]
pub(crate) async fn report(ctx: Context) -> &'static str {
    ctx.progress((1.0, 2.0));
    ctx.log(LoggingLevel::Debug, "in detail");
    ctx.log(LoggingLevel::Info, "in general");
    ctx.progress((2.0, 2.0));
    ctx.log(LoggingLevel::Error, json!({"what": "broken"}));
    "reported"
}

/// Says who calls, and by which revision.
#[tool]
pub(crate) async fn whoami(ctx: Context) -> String {
    let name = ctx.client_info().map(|info| info.name);
    format!("{} of {}", name.unwrap_or_default(), ctx.revision())
}

/// A server of these tools.
pub(crate) fn server(tools: ToolSet) -> Server {
    Server::builder("shop", "1.0.0")
        .instructions("Sells eggs.")
        .tools(tools)
        .build()
        .unwrap()
}

/// A client of this revision that can do everything there is in it.
pub(crate) async fn connect(server: &Server, revision: &'static str) -> Wire {
    let mut wire = Wire::open(server);
    wire.shake_hands(revision, everything(revision)).await;
    wire
}

/// The capabilities of a client that can do everything.
pub(crate) fn everything(revision: &str) -> Value {
    match revision {
        "2024-11-05" | "2025-03-26" => json!({"sampling": {}, "roots": {"listChanged": true}}),
        "2025-06-18" => json!({"sampling": {}, "roots": {}, "elicitation": {}}),
        _ => {
            json!({"sampling": {"tools": {}}, "roots": {}, "elicitation": {"form": {}, "url": {}}})
        }
    }
}
