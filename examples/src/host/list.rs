//! `host list`: the tools of a server, for people or as JSON.

use std::process::ExitCode;

use mcp_client::{ChildProcess, Client, Trace, protocol::Tool};
use serde_json::Value;

use super::clean::{clean, clean_line};
use crate::AnyError;

pub(super) async fn list(server: Trace<ChildProcess>, json: bool) -> Result<ExitCode, AnyError> {
    let client = Client::builder("host", env!("CARGO_PKG_VERSION"))
        .connect(server)
        .await?;
    let tools = client.list_tools().await;
    client.close().await;
    let tools = tools?;
    if json {
        println!("{}", serde_json::to_string_pretty(&tools)?);
    } else {
        tools.iter().for_each(|tool| print!("{}", describe(tool)));
    }
    Ok(ExitCode::SUCCESS)
}

/// A tool with its arguments, a line each.
fn describe(tool: &Tool) -> String {
    let mut lines = clean_line(&tool.name);
    if let Some(title) = &tool.title {
        lines += &format!(": {}", clean_line(title));
    }
    lines += "\n";
    for line in clean(tool.description.as_deref().unwrap_or_default()).lines() {
        lines += &format!("    {line}\n");
    }
    let required = tool.input_schema.get("required").and_then(Value::as_array);
    let properties = tool
        .input_schema
        .get("properties")
        .and_then(Value::as_object);
    for (name, schema) in properties.into_iter().flatten() {
        let optional = required.is_none_or(|required| !required.contains(&name.as_str().into()));
        lines += &format!(
            "    {}: {}{}{}\n",
            clean_line(name),
            clean_line(schema["type"].as_str().unwrap_or("any")),
            if optional { ", optional" } else { "" },
            match schema["description"].as_str() {
                Some(description) => format!(". {}", clean_line(description)),
                None => String::new(),
            }
        );
    }
    lines
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
        }))
        .unwrap();
        let expected = "delete_note\n    Delete one note.\n    Asks first.\n    \
                        note_id: string. The note's id.\n    why: string, optional\n";
        assert_eq!(describe(&tool), expected);
    }
}
