//! `host call`: one call, with everything that the server asks in between.

use std::process::ExitCode;

use mcp_client::{ToolCall, protocol::ContentBlock};

use super::{
    Host,
    asking::Asking,
    clean::{clean, escape_json},
    cli::Call,
    say,
};
use crate::AnyError;

pub(super) async fn call(host: &Host, call: Call) -> Result<ExitCode, AnyError> {
    let asking = Asking::new(call.answers);
    let called = host
        .run(&call.server, asking.client(), async |client| {
            client.call_tool(call.tool, &call.arguments).await
        })
        .await;
    asking.finish(&called);
    print(&called?, host.json)
}

/// Prints the result: text as text, everything else as JSON.
fn print(call: &ToolCall, json: bool) -> Result<ExitCode, AnyError> {
    if json {
        say(escape_json(&serde_json::to_string_pretty(&call.result)?))?;
    } else {
        for block in &call.result.content {
            say(shown(block)?)?;
        }
        // Most servers repeat it as text, for clients that know no other.
        if let (true, Some(structured)) = (
            call.result.content.is_empty(),
            &call.result.structured_content,
        ) {
            say(escape_json(structured.get()))?;
        }
    }
    if call.is_error() {
        eprintln!("the tool failed");
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

/// Text as text, everything else as JSON.
pub(super) fn shown(block: &ContentBlock) -> Result<String, serde_json::Error> {
    Ok(match block {
        ContentBlock::Text(text) => clean(&text.text),
        other => escape_json(&serde_json::to_string(other)?),
    })
}
