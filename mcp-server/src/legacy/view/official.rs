//! Everything that a revision is shown fits its official JSON schema, and has no member that the schema does not know.

#![allow(clippy::unwrap_used)]

mod inputs;
mod questions;
mod schema;

use mcp_core::{
    Revision,
    protocol::{
        CallToolResult, CompleteResult, Completion, GetPromptResult, Implementation,
        ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
        Prompt, PromptArgument, PromptMessage, ReadResourceResult, Resource, ResourceTemplate,
        Role, Tool,
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
