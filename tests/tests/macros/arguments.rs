//! Plain parameters: their schemas, and how they are read.

use mcp_server::prelude::*;
use serde::Deserializer;
use serde_json::{Value, json};

use crate::host::{host, none};

/// Reads one of each.
#[tool]
fn read(
    /// Some text.
    text: &str,
    /// Perhaps a number.
    number: Option<u32>,
    #[serde(default)] flag: bool,
    #[serde(default = "ten")] count: i64,
    #[serde(default = "anonymous")] name: &str,
    #[serde(rename = "kind", alias = "type", alias = "sort")] r#type: Option<String>,
    r#match: Option<Vec<String>>,
    mut extra: Option<Value>,
) -> String {
    let extra = extra.take();
    format!("{text} {number:?} {flag} {count} {name} {type:?} {match:?} {extra:?}")
}

fn ten() -> i64 {
    10
}

fn anonymous() -> &'static str {
    "nobody"
}

#[tokio::test]
async fn missing_arguments_take_their_defaults() {
    let host = host(tools![read], none()).await;
    let text = host.text("read", json!({"text": "a"})).await;
    assert_eq!(text, "a None false 10 nobody None None None");
}

#[tokio::test]
async fn arguments_are_read_under_their_names_on_the_wire() {
    let host = host(tools![read], none()).await;
    let arguments = json!({
        "text": "a", "number": 3, "flag": true, "count": 4, "name": "b", "sort": "c", "match": ["d"],
        "extra": [1],
    });
    let text = host.text("read", arguments).await;
    assert_eq!(
        text,
        r#"a Some(3) true 4 b Some("c") Some(["d"]) Some(Array [Number(1)])"#
    );
    let named = host.text("read", json!({"text": "a", "kind": "c"})).await;
    assert!(named.contains(r#"Some("c")"#), "{named}");
    let null = host
        .text("read", json!({"text": "a", "number": null, "kind": null}))
        .await;
    assert_eq!(null, "a None false 10 nobody None None None");
}

#[tokio::test]
async fn the_schema_says_what_is_read() {
    let host = host(tools![read], none()).await;
    let schema = host.listed("read").await["inputSchema"].clone();
    assert_eq!(schema["type"], "object");
    assert_eq!(schema["required"], json!(["text"]));
    assert_eq!(schema["additionalProperties"], false);
    let names: Vec<_> = schema["properties"]
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect();
    assert_eq!(names.len(), 8);
    assert_eq!(
        schema["properties"]["text"],
        json!({"type": "string", "description": "Some text."})
    );
    assert_eq!(schema["properties"]["count"]["default"], 10);
    assert_eq!(schema["properties"]["name"]["default"], "nobody");
    assert_eq!(schema["properties"]["kind"]["type"], "string");
    assert_eq!(schema["properties"]["match"]["type"], "array");
    assert_eq!(schema["properties"]["type"], Value::Null);
}

#[tokio::test]
async fn wrong_arguments_are_tool_errors_that_name_them() {
    let host = host(tools![read], none()).await;
    let missing = host.error("read", json!({})).await;
    assert!(missing.contains("text"), "{missing}");
    let unknown = host.error("read", json!({"text": "a", "tex": "b"})).await;
    assert!(
        unknown.contains("tex") && unknown.contains("text"),
        "{unknown}"
    );
    let wrong = host.error("read", json!({"text": "a", "count": "4"})).await;
    assert!(wrong.contains("count"), "{wrong}");
}

/// Has a bound of each kind.
#[tool]
fn bounded(
    #[schemars(range(min = 1, max = MOST))] number: u32,
    #[schemars(length(min = 2, max = 3))] text: String,
    #[schemars(length(equal = 1))] list: Vec<String>,
    #[schemars(regex(pattern = r"^[a-z]+$"))] word: String,
    #[schemars(pattern = "^x")] x: String,
    #[schemars(
        title = "Address",
        description = "Where to.",
        email,
        example = "a@example.com",
        example = "b@example.com"
    )]
    address: String,
    #[schemars(extend("uniqueItems" = true, "default" = ["a"]))] set: Vec<String>,
) -> String {
    format!("{number} {text} {list:?} {word} {x} {address} {set:?}")
}

const MOST: u32 = 9;

#[tokio::test]
async fn bounds_become_keywords() {
    let host = host(tools![bounded], none()).await;
    let property = async |name: &str| host.property("bounded", name).await;
    let number = property("number").await;
    assert_eq!(
        (&number["minimum"], &number["maximum"]),
        (&json!(1), &json!(9))
    );
    assert_eq!(
        property("text").await,
        json!({"type": "string", "minLength": 2, "maxLength": 3})
    );
    let list = property("list").await;
    assert_eq!(
        (&list["minItems"], &list["maxItems"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(list["minLength"], Value::Null);
    assert_eq!(property("word").await["pattern"], "^[a-z]+$");
    assert_eq!(property("x").await["pattern"], "^x");
    let address = property("address").await;
    assert_eq!(address["title"], "Address");
    // The dialect has no `examples`: they go where every host shows them.
    let description = address["description"].as_str().unwrap();
    assert!(description.starts_with("Where to."), "{description}");
    assert!(
        description.contains("a@example.com") && description.contains("b@example.com"),
        "{description}"
    );
    assert_eq!(address["format"], "email");
    let set = property("set").await;
    assert_eq!(
        (&set["uniqueItems"], &set["default"]),
        (&json!(true), &json!(["a"]))
    );
}

#[tokio::test]
async fn bounds_are_checked() {
    let host = host(tools![bounded], none()).await;
    let good = json!({
        "number": 9, "text": "ab", "list": ["c"], "word": "d", "x": "xe", "address": "f@example.com", "set": ["g"],
    });
    host.text("bounded", good.clone()).await;
    for (name, wrong) in [
        ("number", json!(10)),
        ("text", json!("a")),
        ("list", json!([])),
        ("word", json!("D")),
        ("x", json!("ex")),
    ] {
        let mut arguments = good.clone();
        arguments[name] = wrong;
        let error = host.error("bounded", arguments).await;
        assert!(error.contains(name), "{error}");
    }
}

mod hex {
    use super::*;

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<u32, D::Error> {
        let text = String::deserialize(input)?;
        u32::from_str_radix(&text, 16).map_err(serde::de::Error::custom)
    }

    pub(super) fn upper<'de, D: Deserializer<'de>>(input: D) -> Result<String, D::Error> {
        Ok(String::deserialize(input)?.to_uppercase())
    }
}

/// Reads by functions of its own.
#[tool]
async fn custom(
    #[serde(with = "hex")]
    #[schemars(with = "String")]
    number: u32,
    #[serde(default, deserialize_with = "hex::deserialize")]
    #[schemars(with = "String")]
    other: u32,
    #[serde(deserialize_with = "hex::upper")] text: &str,
) -> String {
    format!("{number} {other} {text}")
}

#[tokio::test]
async fn custom_decoders_are_used() {
    let host = host(tools![custom], none()).await;
    assert_eq!(
        host.text("custom", json!({"number": "ff", "text": "a"}))
            .await,
        "255 0 A"
    );
    assert_eq!(
        host.text("custom", json!({"number": "1", "other": "a", "text": "b"}))
            .await,
        "1 10 B"
    );
    assert_eq!(host.property("custom", "number").await["type"], "string");
    assert_eq!(
        host.listed("custom").await["inputSchema"]["required"],
        json!(["number", "text"])
    );
    let error = host
        .error("custom", json!({"number": "xyz", "text": "a"}))
        .await;
    assert!(error.contains("number"), "{error}");
}

#[derive(Deserialize, JsonSchema)]
struct Search {
    /// What to look for.
    text: String,
    #[serde(default)]
    limit: u32,
}

/// Searches.
#[tool]
async fn search(args: Args<Search>, ctx: Context, again: &Context) -> String {
    format!(
        "{} {} {} {}",
        args.text,
        args.limit,
        ctx.name(),
        again.round()
    )
}

/// Takes nothing.
#[tool]
async fn nothing() {}

#[tokio::test]
async fn one_struct_can_be_all_arguments() {
    let host = host(tools![search, nothing], none()).await;
    assert_eq!(
        host.text("search", json!({"text": "a", "limit": 2})).await,
        "a 2 search 1"
    );
    assert_eq!(
        host.property("search", "text").await["description"],
        "What to look for."
    );
    let schema = host.listed("nothing").await["inputSchema"].clone();
    assert_eq!(
        schema,
        json!({"type": "object", "properties": {}, "additionalProperties": false})
    );
    assert_eq!(host.text("nothing", none()).await, "");
    assert!(host.error("nothing", json!({"a": 1})).await.contains('a'));
}
