//! Requests to the client.

use mcp_core::{
    Revision,
    protocol::{
        CreateMessageRequestParams, ModelHint, ModelPreferences, Role, SamplingMessage, TextContent,
    },
};
use serde_json::{Value, json};

use super::{
    inputs::{annotations, blocks, meta, object, tool},
    schema::each_revision,
};

/// Shows the parameters of a request to every old revision that can have it; gives those that cannot.
fn asked(method: &str, params: &Value) -> Vec<Revision> {
    let mut refused = Vec::new();
    each_revision(|revision, schema| {
        match super::super::requested(revision, method, &params.to_string()) {
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
        }
    });
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
