//! Revision 2025-03-26: no structured content and no links to resources, titles for tools alone, and no questions to the user.

use mcp_core::Revision;

use super::{
    super::object::Object,
    View,
    places::{each_block, each_entry, tell_structured, text_block},
};

pub(super) const VIEW: View = View {
    revision: Revision::V2025_03_26,
    result,
    error: |_, _| {},
    notification: |_, _| {},
    request,
};

fn result(method: &str, result: &mut Object) {
    result.edit("serverInfo", &mut |info| info.remove("title"));
    if method == "tools/call" {
        tell_structured(result, false);
        result.remove("structuredContent");
    }
    each_entry(method, result, &mut |entry| {
        if method == "tools/list" {
            return tool(entry);
        }
        entry.remove("title");
        entry.each("arguments", &mut |argument| argument.remove("title"));
        forget_time(entry);
    });
    each_block(method, result, &mut |block| {
        forget_time(block);
        if block.is("type", "resource_link") {
            // The embedded resource would need contents. A model reads the link's JSON.
            *block = text_block(&block.to_json(), block.get("annotations"));
        }
    });
}

/// The name for people is one of the hints.
///
/// Specification: `ToolAnnotations`.
fn tool(tool: &mut Object) {
    tool.remove("outputSchema");
    if let Some(title) = tool.text("title") {
        let has_hints = tool.edit("annotations", &mut |hints| hints.set_text("title", &title));
        if !has_hints {
            let mut hints = Object::default();
            hints.set_text("title", &title);
            tool.set("annotations", &hints.to_json());
        }
    }
    tool.remove("title");
}

/// Annotations do not say when something was changed.
fn forget_time(annotated: &mut Object) {
    annotated.edit("annotations", &mut |annotations| {
        annotations.remove("lastModified");
    });
}

fn request(method: &str, params: &mut Object) -> Result<(), String> {
    if method == "elicitation/create" {
        return Err("a question to the user".to_owned());
    }
    each_block(method, params, &mut forget_time);
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::{Value, json};

    use super::super::{requested, result};
    use super::*;

    const REVISION: Revision = Revision::V2025_03_26;

    fn seen(method: &str, json: &Value) -> Value {
        let seen = result(REVISION, method, &json.to_string()).unwrap();
        serde_json::from_str(&seen).unwrap()
    }

    #[test]
    fn the_title_of_a_tool_is_one_of_its_hints() {
        let schema = json!({"type": "object"});
        let list = json!({"tools": [
            {"name": "a", "title": "A", "inputSchema": schema, "outputSchema": schema},
            {"name": "b", "title": "B", "inputSchema": schema, "annotations": {"readOnlyHint": true, "title": "older"}},
            {"name": "c", "inputSchema": schema, "annotations": {"title": "C"}},
            {"name": "d", "inputSchema": schema},
        ]});
        assert_eq!(
            seen("tools/list", &list),
            json!({"tools": [
                {"name": "a", "inputSchema": schema, "annotations": {"title": "A"}},
                {"name": "b", "inputSchema": schema, "annotations": {"readOnlyHint": true, "title": "B"}},
                {"name": "c", "inputSchema": schema, "annotations": {"title": "C"}},
                {"name": "d", "inputSchema": schema},
            ]})
        );
    }

    #[test]
    fn nothing_else_has_a_title() {
        let annotations =
            json!({"audience": ["user"], "priority": 0.5, "lastModified": "2026-07-28T00:00:00Z"});
        let left = json!({"audience": ["user"], "priority": 0.5});
        assert_eq!(
            seen(
                "prompts/list",
                &json!({"prompts": [
                    {"name": "p", "title": "P", "arguments": [{"name": "a", "title": "A", "required": true}]},
                ]})
            ),
            json!({"prompts": [{"name": "p", "arguments": [{"name": "a", "required": true}]}]})
        );
        assert_eq!(
            seen(
                "resources/list",
                &json!({"resources": [
                    {"uri": "a:b", "name": "r", "title": "R", "size": 3, "annotations": annotations},
                ]})
            ),
            json!({"resources": [{"uri": "a:b", "name": "r", "size": 3, "annotations": left}]})
        );
        assert_eq!(
            seen(
                "resources/templates/list",
                &json!({"resourceTemplates": [
                    {"uriTemplate": "a:{b}", "name": "r", "title": "R", "annotations": annotations},
                ]})
            ),
            json!({"resourceTemplates": [{"uriTemplate": "a:{b}", "name": "r", "annotations": left}]})
        );
        assert_eq!(
            seen(
                "initialize",
                &json!({
                    "capabilities": {"completions": {}},
                    "serverInfo": {"name": "s", "title": "S", "version": "1"},
                })
            ),
            json!({
                "capabilities": {"completions": {}},
                "serverInfo": {"name": "s", "version": "1"},
            })
        );
    }

    #[test]
    fn structured_content_is_in_the_text() {
        let json = r#"{"content":[],"structuredContent":{"n":9007199254740993}}"#;
        assert_eq!(
            result(REVISION, "tools/call", json).unwrap(),
            r#"{"content":[{"type":"text","text":"{\"n\":9007199254740993}"}]}"#
        );
        let json =
            r#"{"content":[{"type":"text","text":"{\"n\":1}"}],"structuredContent":{"n":1}}"#;
        assert_eq!(
            result(REVISION, "tools/call", json).unwrap(),
            r#"{"content":[{"type":"text","text":"{\"n\":1}"}]}"#
        );
    }

    #[test]
    fn structured_content_is_not_lost_where_a_tool_says_something_else() {
        let json = r#"{"content":[{"type":"text","text":"done"}],"structuredContent":{"n":9007199254740993}}"#;
        assert_eq!(
            result(REVISION, "tools/call", json).unwrap(),
            r#"{"content":[{"type":"text","text":"done"},{"type":"text","text":"{\"n\":9007199254740993}"}]}"#
        );
        // However it is written there.
        let json = r#"{"content":[{"type":"text","text":"{\n \"a\": [1]\n}"}],"structuredContent":{"a":[1]}}"#;
        assert_eq!(
            result(REVISION, "tools/call", json).unwrap(),
            r#"{"content":[{"type":"text","text":"{\n \"a\": [1]\n}"}]}"#
        );
    }

    #[test]
    fn a_link_is_its_json_as_text() {
        let link = json!({
            "type": "resource_link", "uri": "file:///a", "name": "a", "title": "A", "description": "d",
            "mimeType": "text/plain", "size": 9,
            "annotations": {"priority": 1, "lastModified": "2026-07-28T00:00:00Z"},
        });
        let seen = seen(
            "prompts/get",
            &json!({"messages": [{"role": "user", "content": link}]}),
        );
        let block = &seen["messages"][0]["content"];
        assert_eq!(block["type"], "text");
        assert_eq!(block["annotations"], json!({"priority": 1}));
        let text: Value = serde_json::from_str(block["text"].as_str().unwrap()).unwrap();
        let mut expected = link;
        expected["annotations"] = json!({"priority": 1});
        assert_eq!(text, expected);
    }

    #[test]
    fn other_blocks_stay() {
        let content = json!([
            {"type": "text", "text": "t", "annotations": {"audience": ["user"]}},
            {"type": "image", "data": "aGk=", "mimeType": "image/png"},
            {"type": "audio", "data": "aGk=", "mimeType": "audio/wav"},
            {"type": "resource", "resource": {"uri": "a:b", "text": "t"}},
        ]);
        assert_eq!(
            seen("tools/call", &json!({"content": content, "isError": true})),
            json!({"content": content, "isError": true})
        );
    }

    #[test]
    fn there_are_no_questions_to_the_user() {
        let params = r#"{"message":"m","requestedSchema":{"type":"object","properties":{}}}"#;
        assert_eq!(
            requested(REVISION, "elicitation/create", params).unwrap_err(),
            "a question to the user"
        );
    }
}
