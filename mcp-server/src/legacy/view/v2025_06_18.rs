//! Revision 2025-06-18: no icons, forms of plain fields alone and no other way to ask, and sampling of one block a message.

use mcp_core::{
    Revision,
    rpc::{RpcError, code},
};

use super::{
    super::object::{List, Object},
    View,
    places::{each_block, each_entry},
};
use crate::parameters::items;

pub(super) const VIEW: View = View {
    revision: Revision::V2025_06_18,
    result,
    error,
    notification: |_, _| {},
    request,
};

fn result(method: &str, result: &mut Object) {
    result.edit("serverInfo", &mut |info| {
        info.remove_all(&["description", "websiteUrl", "icons"]);
    });
    each_entry(method, result, &mut |entry| entry.remove("icons"));
    each_block(method, result, &mut |block| {
        if block.is("type", "resource_link") {
            block.remove("icons");
        }
    });
}

/// There is no asking by URL.
fn error(_: &str, error: &mut RpcError) {
    if error.code == code::URL_ELICITATION_REQUIRED {
        error.code = code::INVALID_PARAMS;
    }
}

fn request(method: &str, params: &mut Object) -> Result<(), String> {
    match method {
        "elicitation/create" => elicitation(params),
        "sampling/createMessage" => sampling(params),
        _ => Ok(()),
    }
}

/// Specification: client/elicitation, Requested Schema.
fn elicitation(params: &mut Object) -> Result<(), String> {
    if params.is("mode", "url") {
        return Err("a page to open".to_owned());
    }
    params.remove("mode");
    let mut several = None;
    params.edit("requestedSchema", &mut |schema| {
        schema.remove("$schema");
        schema.edit("properties", &mut |fields| {
            fields.each_member(&mut |name, of| {
                if of.is("type", "array") && several.is_none() {
                    several = Some(format!("a choice of several values (field `{name}`)"));
                }
                field(of);
            });
        });
    });
    several.map_or(Ok(()), Err)
}

/// Changes a field. Its default is lost, where only newer revisions know it: it was a proposal.
fn field(field: &mut Object) {
    if field.is("type", "boolean") {
        return;
    }
    field.remove("default");
    let options = field.get("oneOf").and_then(items).unwrap_or_default();
    if options.is_empty() {
        return;
    }
    let (mut values, mut names) = (List::default(), List::default());
    for option in options {
        let Some(option) = Object::parse(option) else {
            continue;
        };
        for (list, member) in [(&mut values, "const"), (&mut names, "title")] {
            if let Some(json) = option.get(member) {
                list.push(json);
            }
        }
    }
    field.remove("oneOf");
    field.set("enum", &values.into_json());
    field.set("enumNames", &names.into_json());
}

/// Specification: client/sampling, Message Content.
fn sampling(params: &mut Object) -> Result<(), String> {
    let tools = params.get("tools").and_then(items);
    if tools.is_some_and(|tools| !tools.is_empty()) {
        return Err("sampling with tools".to_owned());
    }
    params.remove_all(&["tools", "toolChoice"]);
    let mut single = List::default();
    for message in params.get("messages").and_then(items).unwrap_or_default() {
        let mut parsed = Object::parse(message).unwrap_or_default();
        let Some(content) = parsed.get("content").map(str::to_owned) else {
            single.push(message);
            continue;
        };
        // Several blocks are as many messages of the same speaker.
        for block in items(&content).unwrap_or_else(|| vec![&content]) {
            if uses_tool(block) {
                return Err("sampling with the use of a tool".to_owned());
            }
            parsed.set("content", block);
            single.push(&parsed.to_json());
        }
    }
    params.set("messages", &single.into_json());
    Ok(())
}

fn uses_tool(block: &str) -> bool {
    Object::parse(block)
        .is_some_and(|block| block.is("type", "tool_use") || block.is("type", "tool_result"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::{Value, json};

    use super::super::{error, requested, result};
    use super::*;

    const REVISION: Revision = Revision::V2025_06_18;

    fn asked(method: &str, params: &Value) -> Result<Value, String> {
        let seen = requested(REVISION, method, &params.to_string())?;
        Ok(serde_json::from_str(&seen).unwrap())
    }

    fn form(fields: Value) -> Value {
        json!({
            "mode": "form",
            "message": "Which one?",
            "requestedSchema": {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "type": "object",
                "properties": fields,
                "required": ["a"],
            },
        })
    }

    #[test]
    fn there_are_no_icons() {
        let icons = r#""icons":[{"src":"https://a.b/i"}]"#;
        for (method, member) in [
            ("tools/list", "tools"),
            ("prompts/list", "prompts"),
            ("resources/list", "resources"),
            ("resources/templates/list", "resourceTemplates"),
        ] {
            let json = format!(
                r#"{{"{member}":[{{"name":"n","title":"t",{icons},"_meta":{{"icons":1}}}}]}}"#
            );
            assert_eq!(
                result(REVISION, method, &json).unwrap(),
                format!(r#"{{"{member}":[{{"name":"n","title":"t","_meta":{{"icons":1}}}}]}}"#)
            );
        }
        let content = format!(r#"{{"type":"resource_link","uri":"a:b","name":"n",{icons}}}"#);
        let call = format!(r#"{{"content":[{content}],"structuredContent":{{{icons}}}}}"#);
        let seen: Value =
            serde_json::from_str(&result(REVISION, "tools/call", &call).unwrap()).unwrap();
        assert_eq!(
            seen["content"][0],
            json!({"type": "resource_link", "uri": "a:b", "name": "n"})
        );
        assert_eq!(
            seen["structuredContent"]["icons"][0]["src"],
            "https://a.b/i"
        );
        let prompt = format!(r#"{{"messages":[{{"role":"user","content":{content}}}]}}"#);
        let seen: Value =
            serde_json::from_str(&result(REVISION, "prompts/get", &prompt).unwrap()).unwrap();
        assert_eq!(seen["messages"][0]["content"].get("icons"), None);
    }

    #[test]
    fn a_server_has_a_name_a_title_and_a_version() {
        let json = r#"{"serverInfo":{"name":"s","title":"S","version":"1","description":"d","websiteUrl":"https://a.b","icons":[]}}"#;
        assert_eq!(
            result(REVISION, "initialize", json).unwrap(),
            r#"{"serverInfo":{"name":"s","title":"S","version":"1"}}"#
        );
    }

    #[test]
    fn a_form_has_what_this_revision_can_show() {
        let fields = json!({
            "a": {"type": "string", "title": "A", "oneOf": [{"const": "1", "title": "one"}, {"const": "2", "title": "two"}], "default": "1"},
            "b": {"type": "string", "enum": ["x", "y"], "default": "x"},
            "c": {"type": "string", "enum": ["x"], "enumNames": ["X"]},
            "d": {"type": "string", "minLength": 1, "maxLength": 9, "format": "date-time", "default": "n"},
            "e": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3},
            "f": {"type": "number", "default": 0.5},
            "g": {"type": "boolean", "default": true},
        });
        assert_eq!(
            asked("elicitation/create", &form(fields)).unwrap(),
            json!({
                "message": "Which one?",
                "requestedSchema": {
                    "type": "object",
                    "properties": {
                        "a": {"type": "string", "title": "A", "enum": ["1", "2"], "enumNames": ["one", "two"]},
                        "b": {"type": "string", "enum": ["x", "y"]},
                        "c": {"type": "string", "enum": ["x"], "enumNames": ["X"]},
                        "d": {"type": "string", "minLength": 1, "maxLength": 9, "format": "date-time"},
                        "e": {"type": "integer", "minimum": 1, "maximum": 9},
                        "f": {"type": "number"},
                        "g": {"type": "boolean", "default": true},
                    },
                    "required": ["a"],
                },
            })
        );
    }

    #[test]
    fn fields_keep_their_order() {
        let params = r#"{"message":"m","requestedSchema":{"type":"object","properties":{"z":{"type":"boolean"},"a":{"type":"boolean"}}}}"#;
        assert_eq!(
            requested(REVISION, "elicitation/create", params).unwrap(),
            params
        );
    }

    #[test]
    fn what_cannot_be_asked_is_said() {
        let several = form(
            json!({"colours": {"type": "array", "items": {"type": "string", "enum": ["red"]}}}),
        );
        assert_eq!(
            asked("elicitation/create", &several).unwrap_err(),
            "a choice of several values (field `colours`)"
        );
        let page =
            json!({"mode": "url", "message": "m", "url": "https://a.b", "elicitationId": "1"});
        assert_eq!(
            asked("elicitation/create", &page).unwrap_err(),
            "a page to open"
        );
        let tool = json!({"messages": [], "maxTokens": 1, "tools": [{"name": "t", "inputSchema": {"type": "object"}}]});
        assert_eq!(
            asked("sampling/createMessage", &tool).unwrap_err(),
            "sampling with tools"
        );
        let used = json!({"maxTokens": 1, "messages": [
            {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "t", "input": {}}]},
        ]});
        assert_eq!(
            asked("sampling/createMessage", &used).unwrap_err(),
            "sampling with the use of a tool"
        );
    }

    #[test]
    fn several_blocks_are_as_many_messages() {
        let params = json!({
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "1"}, {"type": "text", "text": "2"}]},
                {"role": "assistant", "content": {"type": "text", "text": "3"}},
            ],
            "maxTokens": 1,
            "tools": [],
            "toolChoice": {"mode": "auto"},
        });
        assert_eq!(
            asked("sampling/createMessage", &params).unwrap(),
            json!({
                "messages": [
                    {"role": "user", "content": {"type": "text", "text": "1"}},
                    {"role": "user", "content": {"type": "text", "text": "2"}},
                    {"role": "assistant", "content": {"type": "text", "text": "3"}},
                ],
                "maxTokens": 1,
            })
        );
    }

    #[test]
    fn there_is_no_code_for_a_page_that_must_be_opened() {
        assert_eq!(
            error(REVISION, "tools/call", RpcError::new(-32042, "m")).code,
            -32602
        );
    }
}
