//! Everything that a revision is shown fits its official JSON schema, and has no member that the schema does not know.

#![allow(clippy::unwrap_used)]

mod inputs;
mod schema;

use mcp_core::{
    Revision,
    protocol::{
        CallToolResult, CompleteResult, Completion, CreateMessageRequestParams, GetPromptResult,
        Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
        ListToolsResult, ModelHint, ModelPreferences, Prompt, PromptArgument, PromptMessage,
        ReadResourceResult, Resource, ResourceTemplate, Role, SamplingMessage, TextContent, Tool,
    },
    rpc::RpcError,
};
use serde::Serialize;
use serde_json::{Value, json};

use self::{
    inputs::{
        annotations, blob_contents, blocks, icons, meta, object, resource, result_meta,
        text_contents, tool,
    },
    schema::each_revision,
};

/// Shows a result of a method to every old revision.
fn results(method: &str, definition: &str, newest: &impl Serialize) {
    let newest = serde_json::to_string(newest).unwrap();
    each_revision(|revision, schema| {
        let seen = super::result(revision, method, &newest).unwrap();
        let seen: Value = serde_json::from_str(&seen).unwrap();
        schema.check(definition, &seen);
        // What is not shown as it is would not fit, or the check is none.
        let newest: Value = serde_json::from_str(&newest).unwrap();
        assert!(!schema.faults(definition, &newest).is_empty(), "{newest:#}");
    });
}

#[test]
fn lists_of_tools() {
    let tools = vec![
        tool("none", None),
        tool(
            "object",
            Some(json!({"type": "object", "properties": {"v": true}, "required": ["v"]})),
        ),
        tool(
            "array",
            Some(json!({"type": "array", "items": {"type": "string"}})),
        ),
        tool("open", Some(json!({}))),
        tool(
            "reference",
            Some(json!({"$ref": "#/$defs/x", "$defs": {"x": {"type": "object"}}})),
        ),
        Tool::new("bare", object(json!({"type": "object"}))),
    ];
    let list = ListToolsResult {
        tools,
        next_cursor: Some("next".into()),
        meta: result_meta(),
        ..ListToolsResult::default()
    };
    results("tools/list", "ListToolsResult", &list);
}

#[test]
fn lists_of_prompts() {
    let prompt = Prompt {
        title: Some("A prompt".to_owned()),
        description: Some("Says it".to_owned()),
        arguments: Some(vec![PromptArgument {
            title: Some("Who".to_owned()),
            description: Some("To whom".to_owned()),
            required: Some(true),
            ..PromptArgument::new("who")
        }]),
        icons: icons(),
        meta: meta(),
        ..Prompt::new("greet")
    };
    let list = ListPromptsResult {
        prompts: vec![prompt, Prompt::new("bare")],
        next_cursor: Some("next".into()),
        meta: result_meta(),
        ..ListPromptsResult::default()
    };
    results("prompts/list", "ListPromptsResult", &list);
}

#[test]
fn lists_of_resources_and_templates() {
    let list = ListResourcesResult {
        resources: vec![resource(), Resource::new("file:///b", "b")],
        meta: result_meta(),
        ..ListResourcesResult::default()
    };
    results("resources/list", "ListResourcesResult", &list);
    let template = ResourceTemplate {
        title: Some("Reports".to_owned()),
        description: Some("All of them".to_owned()),
        mime_type: Some("text/plain".to_owned()),
        icons: icons(),
        annotations: annotations(),
        meta: meta(),
        ..ResourceTemplate::new("file:///{name}", "reports")
    };
    let list = ListResourceTemplatesResult {
        resource_templates: vec![template],
        meta: result_meta(),
        ..ListResourceTemplatesResult::default()
    };
    results(
        "resources/templates/list",
        "ListResourceTemplatesResult",
        &list,
    );
}

#[test]
fn contents_of_resources() {
    let read = ReadResourceResult {
        contents: vec![text_contents().into(), blob_contents().into()],
        meta: result_meta(),
        ..ReadResourceResult::default()
    };
    results("resources/read", "ReadResourceResult", &read);
}

#[test]
fn results_of_tools() {
    let structured = [
        Some(json!({"n": 9_007_199_254_740_993_u64, "icons": [], "title": "t"})),
        Some(json!([1])),
        Some(json!(null)),
        None,
    ];
    for (index, structured) in structured.into_iter().enumerate() {
        let result = CallToolResult {
            content: if index % 2 == 0 { blocks() } else { Vec::new() },
            structured_content: structured.map(Into::into),
            is_error: Some(index == 1),
            meta: result_meta(),
            ..CallToolResult::default()
        };
        results("tools/call", "CallToolResult", &result);
    }
}

#[test]
fn messages_of_prompts() {
    let message = |content| PromptMessage {
        role: Role::User,
        content,
    };
    let result = GetPromptResult {
        description: Some("A conversation".to_owned()),
        messages: blocks().into_iter().map(message).collect(),
        meta: result_meta(),
        ..GetPromptResult::default()
    };
    results("prompts/get", "GetPromptResult", &result);
}

#[test]
fn proposals_for_arguments() {
    let result = CompleteResult {
        completion: Completion {
            values: vec!["a".to_owned(), "b".to_owned()],
            total: Some(7),
            has_more: Some(true),
        },
        meta: result_meta(),
        ..CompleteResult::default()
    };
    results("completion/complete", "CompleteResult", &result);
}

#[test]
fn the_handshake() {
    let info = Implementation {
        title: Some("A shop".to_owned()),
        description: Some("Sells".to_owned()),
        website_url: Some("https://example.com".to_owned()),
        icons: icons(),
        ..Implementation::new("shop", "1.0.0")
    };
    each_revision(|revision, schema| {
        let newest = json!({
            "protocolVersion": revision.as_str(),
            "capabilities": {
                "logging": {}, "completions": {},
                "tools": {"listChanged": true}, "prompts": {"listChanged": true},
                "resources": {"listChanged": true, "subscribe": true},
                "extensions": {"com.example/e": {}},
            },
            "serverInfo": info,
            "instructions": "Ask first",
        });
        let seen = super::result(revision, "initialize", &newest.to_string()).unwrap();
        schema.check("InitializeResult", &serde_json::from_str(&seen).unwrap());
        assert!(!schema.faults("InitializeResult", &newest).is_empty());
    });
}

#[test]
fn errors() {
    let errors = [
        RpcError::resource_not_found("a:b"),
        RpcError::missing_client_capability(json!({"sampling": {}})),
        RpcError::unsupported_version("2030-01-01", &["2026-07-28"]),
        RpcError::method_not_found("x"),
    ];
    each_revision(|revision, schema| {
        let definition = match revision {
            Revision::V2025_11_25 => "JSONRPCErrorResponse",
            _ => "JSONRPCError",
        };
        for error in &errors {
            let seen = super::error(revision, "resources/read", error.clone());
            assert!(!(-32099..=-32020).contains(&seen.code), "{seen}");
            schema.check(
                definition,
                &json!({"jsonrpc": "2.0", "id": 1, "error": seen}),
            );
        }
    });
}

#[test]
fn notifications() {
    let stream = json!({"io.modelcontextprotocol/subscriptionId": 7});
    let messages = [
        (
            "notifications/progress",
            json!({"progressToken": "t", "progress": 0.5, "total": 1, "message": "half"}),
        ),
        (
            "notifications/message",
            json!({"level": "info", "logger": "l", "data": {"message": "m"}}),
        ),
        (
            "notifications/cancelled",
            json!({"requestId": 3, "reason": "r"}),
        ),
        ("notifications/tools/list_changed", json!({"_meta": stream})),
        (
            "notifications/prompts/list_changed",
            json!({"_meta": stream}),
        ),
        (
            "notifications/resources/list_changed",
            json!({"_meta": stream}),
        ),
        (
            "notifications/resources/updated",
            json!({"_meta": stream, "uri": "a:b"}),
        ),
    ];
    each_revision(|revision, schema| {
        for (method, params) in &messages {
            let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
            let seen = super::notification(revision, message.to_string().into_bytes());
            let mut seen: Value = serde_json::from_slice(&seen).unwrap();
            assert!(
                !seen.to_string().contains("io.modelcontextprotocol"),
                "{seen}"
            );
            schema.check("JSONRPCNotification", &seen);
            if revision < Revision::V2025_11_25 {
                // Definitions of methods leave the envelope out.
                seen.as_object_mut().unwrap().remove("jsonrpc");
            }
            schema.check("ServerNotification", &seen);
        }
    });
}

/// Shows the parameters of a request to every old revision that can have it; gives those that cannot.
fn asked(method: &str, params: &Value) -> Vec<Revision> {
    let mut refused = Vec::new();
    each_revision(
        |revision, schema| match super::request(revision, method, &params.to_string()) {
            Ok(seen) => {
                let seen: Value = serde_json::from_str(&seen).unwrap();
                let mut message = json!({"method": method, "params": seen});
                if revision == Revision::V2025_11_25 {
                    message["jsonrpc"] = "2.0".into();
                    message["id"] = 1.into();
                }
                schema.check("ServerRequest", &message);
            }
            Err(what) => {
                assert!(!what.is_empty());
                refused.push(revision);
            }
        },
    );
    refused
}

/// Those of the old revisions that come before this one, if there are schemas to compare with.
fn before(revision: Revision) -> Vec<Revision> {
    let mut before = Vec::new();
    each_revision(|older, _| before.push(older));
    before.retain(|older| *older < revision);
    before
}

#[test]
fn questions_to_the_user() {
    let form = |fields: Value| {
        json!({
            "mode": "form", "message": "m",
            "requestedSchema": {"type": "object", "properties": fields, "required": ["a"]},
        })
    };
    let choices = json!([{"const": "a", "title": "A"}]);
    let single = form(json!({
        "a": {"type": "string", "title": "t", "description": "d", "minLength": 1, "maxLength": 2, "format": "email", "default": "x"},
        "b": {"type": "number", "title": "t", "description": "d", "minimum": 0.5, "maximum": 1.5, "default": 1.25},
        "c": {"type": "integer", "minimum": 0, "maximum": 1, "default": 1},
        "d": {"type": "boolean", "title": "t", "description": "d", "default": true},
        "e": {"type": "string", "title": "t", "description": "d", "enum": ["a"], "default": "a"},
        "f": {"type": "string", "oneOf": choices, "default": "a"},
        "g": {"type": "string", "enum": ["a"], "enumNames": ["A"], "default": "a"},
    }));
    assert_eq!(
        asked("elicitation/create", &single),
        before(Revision::V2025_06_18)
    );
    for several in [
        json!({"type": "array", "items": {"type": "string", "enum": ["a"]}, "minItems": 1, "maxItems": 1, "default": ["a"]}),
        json!({"type": "array", "title": "t", "description": "d", "items": {"anyOf": choices}}),
    ] {
        let several = form(json!({"a": several}));
        assert_eq!(
            asked("elicitation/create", &several),
            before(Revision::V2025_11_25)
        );
    }
    let page =
        json!({"mode": "url", "message": "m", "url": "https://example.com/", "elicitationId": "e"});
    assert_eq!(
        asked("elicitation/create", &page),
        before(Revision::V2025_11_25)
    );
}

#[test]
fn questions_to_the_model() {
    let message = |content: Value| json!({"role": "user", "content": content});
    let text = json!({"type": "text", "text": "t", "annotations": annotations(), "_meta": meta()});
    let image = json!({"type": "image", "data": "aGk=", "mimeType": "image/png", "annotations": annotations()});
    let audio = json!({"type": "audio", "data": "aGk=", "mimeType": "audio/wav", "annotations": annotations()});
    let mut params = serde_json::to_value(CreateMessageRequestParams {
        model_preferences: Some(ModelPreferences {
            hints: Some(vec![ModelHint {
                name: Some("m".to_owned()),
                ..ModelHint::default()
            }]),
            cost_priority: Some(0.5),
            speed_priority: Some(0.5),
            intelligence_priority: Some(1.0),
        }),
        system_prompt: Some("s".to_owned()),
        temperature: Some(0.5),
        stop_sequences: Some(vec!["x".to_owned()]),
        metadata: Some(object(json!({"k": 1}))),
        ..CreateMessageRequestParams::new(
            vec![SamplingMessage::new(Role::User, TextContent::new("t"))],
            9,
        )
    })
    .unwrap();
    params["includeContext"] = "none".into();
    params["messages"] = json!([message(text.clone()), message(json!([text, image]))]);
    assert_eq!(asked("sampling/createMessage", &params), []);
    params["messages"] = json!([message(audio)]);
    assert_eq!(
        asked("sampling/createMessage", &params),
        before(Revision::V2025_03_26)
    );
    params["messages"] = json!([
        {"role": "assistant", "content": {"type": "tool_use", "id": "1", "name": "t", "input": {"a": 1}}},
        message(json!([{"type": "tool_result", "toolUseId": "1", "content": blocks(), "structuredContent": 3, "isError": true}])),
    ]);
    assert_eq!(
        asked("sampling/createMessage", &params),
        before(Revision::V2025_11_25)
    );
    params["messages"] = json!([message(json!({"type": "text", "text": "t"}))]);
    params["tools"] = json!([tool("t", Some(json!({"type": "array"})))]);
    params["toolChoice"] = json!({"mode": "auto"});
    assert_eq!(
        asked("sampling/createMessage", &params),
        before(Revision::V2025_11_25)
    );
}

#[test]
fn questions_for_roots() {
    assert_eq!(asked("roots/list", &json!({})), []);
}
