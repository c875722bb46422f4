//! `host list`: the tools of a server, for people or as JSON.

use std::process::ExitCode;

use mcp_client::protocol::Tool;
use serde_json::Value;

use super::{
    Host,
    clean::{clean, clean_line},
    cli::Server,
    client,
};
use crate::AnyError;

pub(super) async fn list(host: &Host, server: &Server) -> Result<ExitCode, AnyError> {
    let list = async |client: &mcp_client::Client| client.list_tools().await;
    let tools = host.run(server, client(), list).await?;
    host.print(&tools, || tools.iter().map(describe).collect())
}

/// A tool with its arguments, a line each.
fn describe(tool: &Tool) -> String {
    let mut lines = vec![heading(tool)];
    let description = clean(tool.description.as_deref().unwrap_or_default());
    lines.extend(description.lines().map(|line| format!("    {line}")));

    let required = tool.input_schema.get("required").and_then(Value::as_array);
    let properties = tool
        .input_schema
        .get("properties")
        .and_then(Value::as_object);
    for (name, schema) in properties.into_iter().flatten() {
        let is_required = required.is_some_and(|names| names.iter().any(|known| known == name));
        let mut line = format!("    {}: ", clean_line(name));
        line += &clean_line(schema["type"].as_str().unwrap_or("any"));
        if !is_required {
            line += ", optional";
        }
        if let Some(description) = schema["description"].as_str() {
            line += ". ";
            line += &clean_line(description);
        }
        lines.push(line);
    }
    lines.join("\n")
}

/// Name, title and what the server says the tool does to the world.
fn heading(tool: &Tool) -> String {
    let mut heading = clean_line(&tool.name);
    if let Some(title) = &tool.title {
        heading += ": ";
        heading += &clean_line(title);
    }
    let hints = tool.annotations.as_ref();
    if hints.is_some_and(|hints| hints.read_only_hint == Some(true)) {
        heading += " [changes nothing]";
    } else if hints.is_some_and(|hints| hints.destructive_hint == Some(true)) {
        heading += " [may destroy]";
    }
    heading
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    #[test]
    fn a_tool_is_described_with_its_arguments() {
        let tool: Tool = serde_json::from_value(json!({
            "name": "delete_note",
            "description": "Delete\u{1b}[1m one note.\nAsks first.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "note_id": { "type": "string", "description": "The note's id." },
                    "why": { "type": "string" },
                },
                "required": ["note_id"],
            },
            "annotations": { "destructiveHint": true },
        }))
        .unwrap();
        let expected = "delete_note [may destroy]\n    Delete one note.\n    Asks first.\n    \
                        note_id: string. The note's id.\n    why: string, optional";
        assert_eq!(describe(&tool), expected);
    }
}
