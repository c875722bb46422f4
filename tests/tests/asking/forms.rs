//! The form that a client gets: flat, of primitives, without what the restricted schema does not know.

use mcp_server::prelude::*;
use mcp_server::testing::TestHost;
use mcp_tests::official::call;
use serde_json::{Value, json};

use crate::support::server;

/// How it was.
#[derive(Debug, Deserialize, JsonSchema, Form)]
struct Everything {
    /// A text.
    #[schemars(length(min = 2, max = 40))]
    text: String,
    /// A text that may be left out.
    maybe: Option<String>,
    /// A small number.
    small: u8,
    /// A number with a default.
    #[serde(default = "four")]
    stars: i64,
    /// A price.
    #[schemars(range(min = 0))]
    price: f64,
    /// On unless switched off.
    #[serde(default = "on")]
    switch: bool,
    /// Only one.
    reason: Reason,
    /// Without titles.
    size: Option<Size>,
    /// Some of them.
    #[schemars(length(min = 1, max = 2))]
    reasons: Vec<Reason>,
    /// With a title of its own.
    #[form(title = "Your address")]
    #[schemars(email)]
    mail: String,
    #[serde(rename = "otherName")]
    other: Option<bool>,
}

fn four() -> i64 {
    4
}

fn on() -> bool {
    true
}

#[derive(Debug, Deserialize, Serialize, JsonSchema, Form)]
#[serde(rename_all = "snake_case")]
enum Reason {
    #[form(title = "Damaged in transit")]
    Damaged,
    #[form(title = "Wrong item sent")]
    WrongItem,
}

#[derive(Debug, Deserialize, JsonSchema, Form)]
enum Size {
    Small,
    Large,
}

/// Asks for everything.
#[tool]
async fn everything(#[elicit("Fill it in")] form: Resolve<Everything>) -> String {
    format!("{:?}", form.into_inner())
}

#[tokio::test]
async fn every_kind_of_field_has_the_restricted_schema() {
    let (server, _) = server(tools![everything]);
    let host = TestHost::new(&server).answer(
        "form",
        json!({
            "text": "ab", "small": 255, "price": 1.5, "reason": "wrong_item",
            "reasons": ["damaged"], "mail": "a@b.example",
        }),
    );
    let call = call(&host, "everything", json!({})).await;
    call.assert_text(
        "Everything { text: \"ab\", maybe: None, small: 255, stars: 4, price: 1.5, switch: true, \
         reason: WrongItem, size: None, reasons: [Damaged], mail: \"a@b.example\", other: None }",
    );
    let request = serde_json::to_value(&call.question("form").request).unwrap();
    let schema = &request["params"]["requestedSchema"];
    let field = |name: &str| schema["properties"][name].clone();
    assert_eq!(request["params"]["mode"], "form");
    assert_eq!(schema["type"], "object");
    assert_eq!(
        schema["required"],
        json!(["text", "small", "price", "reason", "reasons", "mail"])
    );
    assert_eq!(
        field("text"),
        json!({"type": "string", "description": "A text.", "minLength": 2, "maxLength": 40})
    );
    assert_eq!(
        field("maybe"),
        json!({"type": "string", "description": "A text that may be left out."})
    );
    assert_eq!(
        field("small"),
        json!({"type": "integer", "description": "A small number.", "minimum": 0, "maximum": 255})
    );
    assert_eq!(field("stars")["default"], 4);
    assert_eq!(field("price")["type"], "number");
    assert_eq!(field("price")["minimum"], 0);
    assert_eq!(
        field("switch"),
        json!({"type": "boolean", "description": "On unless switched off.", "default": true})
    );
    let titled = json!([
        {"const": "damaged", "title": "Damaged in transit"},
        {"const": "wrong_item", "title": "Wrong item sent"},
    ]);
    assert_eq!(
        field("reason"),
        json!({"type": "string", "description": "Only one.", "oneOf": titled})
    );
    assert_eq!(field("size")["enum"], json!(["Small", "Large"]));
    assert_eq!(
        field("reasons"),
        json!({
            "type": "array", "description": "Some of them.", "minItems": 1, "maxItems": 2,
            "items": {"anyOf": titled},
        })
    );
    assert_eq!(field("mail")["format"], "email");
    assert_eq!(field("mail")["title"], "Your address");
    assert_eq!(field("otherName"), json!({"type": "boolean"}));
    assert_flat(schema);
}

/// What no form may have, at any depth.
fn assert_flat(schema: &Value) {
    match schema {
        Value::Object(members) => {
            for (key, value) in members {
                assert!(
                    !["$ref", "$defs", "$schema", "nullable", "enumNames"].contains(&key.as_str()),
                    "{key}"
                );
                assert!(key != "type" || value.is_string(), "{value}");
                assert!(
                    !(key == "format" && value.as_str().unwrap().starts_with("uint")),
                    "{value}"
                );
                assert_flat(value);
            }
        }
        Value::Array(items) => items.iter().for_each(assert_flat),
        Value::Null => panic!("a null in a form"),
        _ => {}
    }
}

/// The order of the fields is that of the struct, on the wire too.
#[tokio::test]
async fn the_fields_keep_their_order() {
    let (server, _) = server(tools![everything]);
    let host = TestHost::new(&server).decline("form");
    call(&host, "everything", json!({})).await;
    let wire = host.wire();
    let asked = wire
        .iter()
        .filter_map(|entry| entry.message.as_ref())
        .find(|message| message.get().contains("requestedSchema"))
        .unwrap();
    let at = |name: &str| asked.get().find(&format!("\"{name}\":{{")).unwrap();
    let names = [
        "text", "maybe", "small", "stars", "price", "switch", "reason", "size",
    ];
    assert!(names.windows(2).all(|pair| at(pair[0]) < at(pair[1])));
}
