//! `derive(Form)`: the form that a person sees.

// What is only printed counts as never read.
#![allow(dead_code)]

use mcp_server::prelude::*;
use serde_json::json;

use crate::host::{host, without};

/// A return.
#[derive(Deserialize, JsonSchema, Form, Debug)]
#[serde(rename_all = "camelCase")]
struct Return {
    /// Why does it come back?
    #[form(title = "Reason")]
    main_reason: Reason,
    /// Others.
    other_reasons: Option<Vec<Reason>>,
    #[serde(default)]
    restock: bool,
    #[serde(rename = "howMany")]
    #[schemars(range(min = 1, max = 5))]
    count: u8,
    /// Anything else?
    #[schemars(length(max = 200))]
    note: Option<String>,
    #[form(not_secret, title = "Token count")]
    token: u32,
    tokens_used: Option<f32>,
    plain: Option<Plain>,
}

#[derive(Deserialize, JsonSchema, Form, Debug)]
#[serde(rename_all = "snake_case")]
enum Reason {
    #[form(title = "Damaged in transit")]
    DamagedInTransit,
    #[serde(rename = "wrong")]
    #[form(title = "Wrong item sent")]
    WrongItem,
}

#[derive(Deserialize, JsonSchema, Form, Debug)]
enum Plain {
    One,
    Two,
}

/// Records a return.
#[tool]
async fn record(#[elicit("What is it?")] found: Elicit<Return>) -> String {
    format!("{found:?}")
}

#[tokio::test]
async fn a_form_is_flat_and_titled() {
    let answer = json!({"found": {"mainReason": "wrong", "otherReasons": ["damaged_in_transit"], "howMany": 2, "token": 3}});
    let host = host(tools![record], answer).await;
    let text = host.text("record", json!({})).await;
    assert!(text.starts_with("Accept(Return { main_reason: WrongItem, other_reasons: Some([DamagedInTransit]), restock: false, count: 2, note: None, token: 3"), "{text}");
    let form = host.form("found");
    assert_eq!(form["type"], "object");
    assert_eq!(form["required"], json!(["mainReason", "howMany", "token"]));
    let choices = json!([
        {"const": "damaged_in_transit", "title": "Damaged in transit"},
        {"const": "wrong", "title": "Wrong item sent"},
    ]);
    let property = |name: &str| form["properties"][name].clone();
    assert_eq!(
        property("mainReason"),
        json!({"type": "string", "title": "Reason", "description": "Why does it come back?", "oneOf": choices})
    );
    let several = property("otherReasons");
    assert_eq!(several["type"], "array");
    assert_eq!(several["items"]["anyOf"], choices);
    assert_eq!(
        property("restock"),
        json!({"type": "boolean", "default": false})
    );
    assert_eq!(
        property("howMany"),
        json!({"type": "integer", "minimum": 1, "maximum": 5})
    );
    assert_eq!(
        without(property("note"), "description"),
        json!({"type": "string", "maxLength": 200})
    );
    assert_eq!(property("token")["title"], "Token count");
    assert_eq!(
        property("plain"),
        json!({"type": "string", "enum": ["One", "Two"]})
    );
    let names: Vec<_> = form["properties"]
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect();
    assert_eq!(names.len(), 8);
}
