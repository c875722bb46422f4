//! Revision 2025-11-25: results are all of one kind and are not kept, who speaks was said in the handshake, structured content
//! is an object, and a resource that does not exist has a code of its own.

use mcp_core::{
    Revision,
    rpc::{RpcError, code},
};
use serde_json::Value;

use super::{
    super::object::Object,
    View,
    places::{entries_of, tell_structured},
};

pub(super) const VIEW: View = View {
    revision: Revision::V2025_11_25,
    result,
    error,
    notification,
    request,
};

/// What 2026-07-28 says in `_meta` itself, and a session otherwise.
const RESERVED: &str = "io.modelcontextprotocol/";

fn result(method: &str, result: &mut Object) {
    result.remove("resultType");
    if is_cacheable(method) {
        result.remove_all(&["ttlMs", "cacheScope"]);
    }
    forget_reserved(result);
    match method {
        "tools/list" => result.each("tools", &mut tool),
        "tools/call" => structured(result),
        "initialize" => {
            result.edit("capabilities", &mut |capabilities| {
                capabilities.remove("extensions");
            });
        }
        _ => {}
    }
}

/// Specification: server/utilities/caching of 2026-07-28. The member of another result may be its function's own.
fn is_cacheable(method: &str) -> bool {
    method == "resources/read" || entries_of(method).is_some()
}

fn forget_reserved(holder: &mut Object) {
    let mut is_empty = false;
    holder.edit("_meta", &mut |meta| {
        meta.remove_if(&|name| name.starts_with(RESERVED));
        is_empty = meta.is_empty();
    });
    if is_empty {
        holder.remove("_meta");
    }
}

/// Schemas have `"type": "object"` at their root, and properties that are objects.
///
/// Specification: `Tool`.
fn tool(tool: &mut Object) {
    tool.edit("inputSchema", &mut properties);
    let mut is_object = false;
    tool.edit("outputSchema", &mut |schema| {
        properties(schema);
        is_object = schema.is("type", "object");
    });
    if !is_object {
        tool.remove("outputSchema");
    }
}

fn properties(schema: &mut Object) {
    schema.edit("properties", &mut |properties| {
        properties.each_value(|schema| match schema {
            "true" => Some("{}"),
            "false" => Some(r#"{"not":{}}"#),
            _ => None,
        });
    });
}

/// Structured content is an object; what is none stands in the content.
///
/// Specification: server/tools, Structured Content.
fn structured(result: &mut Object) {
    let json = result.get("structuredContent").unwrap_or_default();
    let is_object = json.starts_with('{');
    tell_structured(result, is_object);
    if !is_object {
        result.remove("structuredContent");
    }
}

/// Codes of 2026-07-28 become those that this revision, and all before it, name for the like.
fn error(method: &str, error: &mut RpcError) {
    match error.code {
        // Specification: server/resources, Error Handling.
        code::INVALID_PARAMS if method.starts_with("resources/") && names_resource(error) => {
            error.code = code::RESOURCE_NOT_FOUND;
        }
        // Specification: client/elicitation, Error Handling, of a mode that was not declared.
        code::MISSING_REQUIRED_CLIENT_CAPABILITY => error.code = code::INVALID_PARAMS,
        // Specification: basic/lifecycle, Error Handling.
        code::UNSUPPORTED_PROTOCOL_VERSION => error.code = code::INVALID_PARAMS,
        code::HEADER_MISMATCH => error.code = code::INVALID_REQUEST,
        _ => {}
    }
}

/// Whether an error is about a resource and nothing else.
fn names_resource(error: &RpcError) -> bool {
    let Some(Value::Object(data)) = &error.data else {
        return false;
    };
    data.len() == 1 && data.get("uri").is_some_and(Value::is_string)
}

fn notification(_: &str, params: &mut Object) {
    forget_reserved(params);
}

fn request(method: &str, params: &mut Object) -> Result<(), String> {
    if method == "sampling/createMessage" {
        params.each("tools", &mut tool);
        params.each("messages", &mut |message| {
            // One block, or a list of them.
            message.edit("content", &mut tool_result);
            message.each("content", &mut tool_result);
        });
    }
    Ok(())
}

fn tool_result(block: &mut Object) {
    if block.is("type", "tool_result") {
        structured(block);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::super::{error, notification, requested, result};
    use super::*;

    const REVISION: Revision = Revision::V2025_11_25;

    fn seen(method: &str, json: &str) -> String {
        result(REVISION, method, json).unwrap()
    }

    #[test]
    fn results_have_no_type_and_are_not_kept() {
        let list = r#"{"resultType":"complete","tools":[],"nextCursor":"n","ttlMs":5,"cacheScope":"public","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}"#;
        assert_eq!(seen("tools/list", list), r#"{"tools":[],"nextCursor":"n"}"#);
        // Where the protocol has no such member, it is the function's own.
        let own = r#"{"resultType":"complete","content":[],"ttlMs":5,"_meta":{"a.b/c":1,"io.modelcontextprotocol/serverInfo":{}}}"#;
        assert_eq!(
            seen("tools/call", own),
            r#"{"content":[],"ttlMs":5,"_meta":{"a.b/c":1}}"#
        );
    }

    #[test]
    fn structured_content_passes_byte_for_byte() {
        let json = r#"{"resultType":"complete","content":[{"type":"text","text":"t"}],"structuredContent":{"z":9007199254740993,"a":18446744073709551616,"m":{ "b":1.10 }}}"#;
        assert_eq!(
            seen("tools/call", json),
            r#"{"content":[{"type":"text","text":"t"}],"structuredContent":{"z":9007199254740993,"a":18446744073709551616,"m":{ "b":1.10 }}}"#
        );
    }

    #[test]
    fn structured_content_never_stands_alone() {
        let link = r#"{"type":"resource_link","uri":"a:b","name":"b"}"#;
        let json =
            format!(r#"{{"content":[{link}],"structuredContent":{{"n":9007199254740993}}}}"#);
        assert_eq!(
            seen("tools/call", &json),
            format!(
                r#"{{"content":[{link},{{"type":"text","text":"{{\"n\":9007199254740993}}"}}],"structuredContent":{{"n":9007199254740993}}}}"#
            )
        );
    }

    #[test]
    fn structured_content_that_is_no_object_is_text_alone() {
        for json in ["[1,2]", "null", "3", "true", r#""x""#] {
            let result = format!(r#"{{"content":[],"structuredContent":{json}}}"#);
            let seen: Value = serde_json::from_str(&seen("tools/call", &result)).unwrap();
            assert_eq!(seen, json!({"content": [{"type": "text", "text": json}]}));
        }
    }

    #[test]
    fn what_a_tool_says_beside_it_does_not_hide_it() {
        let result = r#"{"content":[{"type":"text","text":"done"}],"structuredContent":[1, 2]}"#;
        let expected =
            r#"{"content":[{"type":"text","text":"done"},{"type":"text","text":"[1, 2]"}]}"#;
        assert_eq!(seen("tools/call", result), expected);
        let said = r#"{"content":[{"type":"text","text":"[1,2]"}],"structuredContent":[1, 2]}"#;
        let expected = r#"{"content":[{"type":"text","text":"[1,2]"}]}"#;
        assert_eq!(seen("tools/call", said), expected);
    }

    #[test]
    fn only_output_schemas_of_objects_are_seen() {
        let list = r#"{"tools":[
            {"name":"a","inputSchema":{"type":"object","properties":{"any":true,"none":false,"n":{"type":"integer"}},"additionalProperties":false},"outputSchema":{"type":"object","properties":{"any":true},"$defs":{"x":true}}},
            {"name":"b","inputSchema":{"type":"object"},"outputSchema":{"type":"array","items":{}}},
            {"name":"c","inputSchema":{"type":"object"},"outputSchema":{"anyOf":[{"type":"object"}]}},
            {"name":"d","inputSchema":{"type":"object"},"outputSchema":{"type":["object","null"]}}
        ]}"#;
        let seen: Value = serde_json::from_str(&seen("tools/list", list)).unwrap();
        assert_eq!(
            seen["tools"],
            json!([
                {
                    "name": "a",
                    "inputSchema": {
                        "type": "object",
                        "properties": {"any": {}, "none": {"not": {}}, "n": {"type": "integer"}},
                        "additionalProperties": false,
                    },
                    "outputSchema": {"type": "object", "properties": {"any": {}}, "$defs": {"x": true}},
                },
                {"name": "b", "inputSchema": {"type": "object"}},
                {"name": "c", "inputSchema": {"type": "object"}},
                {"name": "d", "inputSchema": {"type": "object"}},
            ])
        );
    }

    #[test]
    fn a_resource_that_does_not_exist_has_its_own_code() {
        let seen = error(
            REVISION,
            "resources/read",
            RpcError::resource_not_found("file:///nonexistent.txt"),
        );
        assert_eq!(seen.code, -32002);
        assert_eq!(seen.data, Some(json!({"uri": "file:///nonexistent.txt"})));
        let missing = error(
            REVISION,
            "resources/read",
            RpcError::invalid_params("`uri` is missing"),
        );
        assert_eq!(missing.code, -32602);
        let of_a_tool = error(REVISION, "tools/call", RpcError::resource_not_found("a:b"));
        assert_eq!(of_a_tool.code, -32602);
    }

    #[test]
    fn codes_of_the_newest_revision_are_not_seen() {
        let required = json!({"elicitation": {"form": {}}, "roots": {}});
        let seen = error(
            REVISION,
            "tools/call",
            RpcError::missing_client_capability(required.clone()),
        );
        assert_eq!(seen.code, -32602);
        assert_eq!(seen.data, Some(json!({"requiredCapabilities": required})));
        let seen = error(
            REVISION,
            "",
            RpcError::unsupported_version("x", &["2026-07-28"]),
        );
        assert_eq!(seen.code, -32602);
        let seen = error(REVISION, "", RpcError::new(-32020, "the header differs"));
        assert_eq!(seen.code, -32600);
        // Those of the application, and this revision's own.
        for code in [-32601, -32603, -32001, -32042, 7] {
            assert_eq!(
                error(REVISION, "tools/call", RpcError::new(code, "m")).code,
                code
            );
        }
    }

    #[test]
    fn a_result_of_another_type_is_an_error() {
        let json = r#"{"resultType":"input_required","requestState":"s"}"#;
        let error = result(REVISION, "tools/call", json).unwrap_err();
        assert_eq!(error.code, -32603);
        assert!(result(REVISION, "tools/call", "[]").is_err());
    }

    #[test]
    fn notifications_belong_to_no_stream() {
        let message = br#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1},"uri":"a:b"}}"#;
        assert_eq!(
            String::from_utf8(notification(REVISION, message.to_vec())).unwrap(),
            r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:b"}}"#
        );
        assert_eq!(
            notification(REVISION, b"no message".to_vec()),
            b"no message"
        );
    }

    #[test]
    fn initialize_has_no_extensions() {
        let json = r#"{"protocolVersion":"2025-11-25","capabilities":{"logging":{},"completions":{},"experimental":{"x":{}},"extensions":{"a/b":{}}},"serverInfo":{"name":"s","title":"S","version":"1","description":"d","websiteUrl":"https://a.b","icons":[{"src":"https://a.b/i"}]},"instructions":"i"}"#;
        assert_eq!(
            seen("initialize", json),
            json.replace(r#","extensions":{"a/b":{}}"#, "")
        );
    }

    #[test]
    fn questions_stay_but_for_tools_in_sampling() {
        let form = r#"{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"c":{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]},"default":["a"]}}}}"#;
        assert_eq!(
            requested(REVISION, "elicitation/create", form).unwrap(),
            form
        );
        let sampling = json!({
            "messages": [
                {"role": "assistant", "content": {"type": "tool_use", "id": "1", "name": "t", "input": {}}},
                {"role": "user", "content": [
                    {"type": "tool_result", "toolUseId": "1", "content": [], "structuredContent": [1]},
                ]},
            ],
            "maxTokens": 5,
            "tools": [{"name": "t", "inputSchema": {"type": "object"}, "outputSchema": {"type": "array"}}],
            "toolChoice": {"mode": "none"},
        });
        let seen = requested(REVISION, "sampling/createMessage", &sampling.to_string()).unwrap();
        let mut expected = sampling;
        expected["messages"][1]["content"][0] = json!({
            "type": "tool_result", "toolUseId": "1", "content": [{"type": "text", "text": "[1]"}],
        });
        expected["tools"][0] = json!({"name": "t", "inputSchema": {"type": "object"}});
        assert_eq!(serde_json::from_str::<Value>(&seen).unwrap(), expected);
    }
}
