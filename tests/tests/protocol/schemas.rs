//! Every schema that a server emits is one that every host accepts: one bad one makes a host drop the whole list.

use std::collections::{BTreeMap, HashMap};

use mcp_server::assert_provider_safe;
use mcp_server::prelude::*;
use mcp_tests::wire::Wire;
use serde_json::{Value, json};

use crate::open;

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Filter {
    key: String,
    op: Op,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
enum Op {
    /// Equal.
    Eq,
    /// Less than.
    #[serde(rename = "less")]
    Lt,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Shape {
    /// Round.
    Circle {
        radius: f64,
    },
    Square {
        side: u16,
        filters: Vec<Filter>,
    },
    Nothing,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Tree {
    name: String,
    children: Vec<Tree>,
    parent: Option<Box<Tree>>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Everything {
    payload: Value,
    rows: Vec<Value>,
    extra: HashMap<String, Value>,
    /// With a comment.
    opt: Option<Value>,
    nested: BTreeMap<String, Vec<Option<Filter>>>,
    shape: Shape,
    tree: Option<Tree>,
    #[serde(flatten)]
    flat: Flat,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Flat {
    #[serde(default)]
    deep: Option<Op>,
}

/// Filters.
#[tool]
async fn filters(filters: Option<Vec<Filter>>, one: Filter, op: Option<Op>) -> Json<Vec<Filter>> {
    drop((one, op));
    Json(filters.unwrap_or_default())
}

/// Numbers of every size.
#[tool]
#[expect(clippy::too_many_arguments)]
async fn numbers(
    a: u8,
    b: u16,
    c: u32,
    d: u64,
    e: usize,
    f: i64,
    g: f32,
    h: Option<i8>,
    i: Option<f64>,
) -> Json<f64> {
    drop((a, b, c, d, e, f, h));
    Json(f64::from(g) + i.unwrap_or_default())
}

/// Options.
#[tool]
async fn options(name: String, note: Option<String>, size: Option<u32>) -> Json<Option<String>> {
    Json(note.or(Some(format!("{name} {size:?}"))))
}

/// Values.
#[tool]
async fn values(
    payload: Value,
    rows: Vec<Value>,
    extra: HashMap<String, Value>,
    opt: Option<Value>,
) -> Json<Everything> {
    Json(Everything {
        payload,
        rows,
        extra,
        opt,
        nested: BTreeMap::new(),
        shape: Shape::Nothing,
        tree: None,
        flat: Flat { deep: None },
    })
}

/// Shapes.
#[tool]
async fn shapes(shape: Shape, shapes: Vec<Shape>) -> Json<Shape> {
    drop(shapes);
    Json(shape)
}

/// A shape as all arguments.
#[tool]
async fn whole_shape(args: Args<Shape>) -> String {
    format!("{:?}", args.0)
}

/// A tree.
#[tool]
async fn trees(tree: Tree) -> Json<Tree> {
    Json(tree)
}

/// A struct of everything.
#[tool]
async fn everything(args: Args<Everything>) -> Json<BTreeMap<String, u64>> {
    drop(args);
    Json(BTreeMap::new())
}

/// No arguments.
#[tool]
async fn now() -> Json<bool> {
    Json(true)
}

/// Open.
#[tool(extra = "ignore")]
async fn open_to_all(name: String) -> Json<(u8, String)> {
    Json((1, name))
}

#[derive(Debug, Deserialize, JsonSchema, Form)]
struct Confirm {
    /// Check to go ahead.
    confirm: bool,
}

/// Asks.
#[tool]
async fn asks(
    #[schemars(range(min = 1, max = 5))] stars: u8,
    #[schemars(length(max = 10))] tags: Vec<String>,
    #[serde(default = "ten")] limit: u32,
    #[elicit("Go on with {stars} {tags:?} {limit}?")] answer: Elicit<Confirm>,
) -> Json<Vec<Vec<i32>>> {
    drop((stars, tags, limit, answer));
    Json(Vec::new())
}

fn ten() -> u32 {
    10
}

/// A connection to all of them.
pub(crate) fn open_all() -> Wire {
    open(tools![
        filters,
        numbers,
        options,
        values,
        shapes,
        whole_shape,
        trees,
        everything,
        now,
        open_to_all,
        asks
    ])
}

/// The schemas of all tools, by name: of the arguments and of the result.
pub(crate) async fn listed() -> BTreeMap<String, (Value, Option<Value>)> {
    let mut wire = open_all();
    let listed = wire.request("tools/list", json!({})).await;
    let tools = listed["result"]["tools"].as_array().unwrap().clone();
    tools
        .into_iter()
        .map(|tool| {
            let name = tool["name"].as_str().unwrap().to_owned();
            (
                name,
                (
                    tool["inputSchema"].clone(),
                    tool.get("outputSchema").cloned(),
                ),
            )
        })
        .collect()
}

#[tokio::test]
async fn every_schema_is_in_the_one_dialect() {
    let listed = listed().await;
    assert_eq!(listed.len(), 11);
    for (input, output) in listed.values() {
        assert_provider_safe(input);
        assert_eq!(input["type"], "object");
        assert!(input["properties"].is_object());
        // A validator of another house can compile it: every reference leads somewhere.
        jsonschema::validator_for(input).unwrap();
        if let Some(output) = output {
            assert_provider_safe(output);
            assert_eq!(output["type"], "object");
            jsonschema::validator_for(output).unwrap();
        }
    }
    let outputs = listed
        .values()
        .filter(|(_, output)| output.is_some())
        .count();
    assert_eq!(outputs, 10);
}

/// Definitions are inlined where they can be, and an optional value is one that need not be there.
#[tokio::test]
async fn definitions_are_inlined_and_options_are_not_required() {
    let listed = listed().await;
    let (filters, _) = &listed["filters"];
    assert!(!filters.to_string().contains("$ref"), "{filters}");
    assert_eq!(filters["required"], json!(["one"]));
    assert_eq!(filters["properties"]["filters"]["type"], "array");
    let item = &filters["properties"]["filters"]["items"];
    assert_eq!(item["additionalProperties"], false);
    assert_eq!(item["properties"]["op"]["enum"], json!(["Eq", "less"]));
    assert_eq!(item["properties"]["op"]["type"], "string");
    assert_eq!(
        listed["options"].0,
        json!({
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "note": {"type": "string"},
                "size": {"type": "integer", "minimum": 0, "maximum": 4_294_967_295_u64},
            },
            "required": ["name"],
            "additionalProperties": false,
        })
    );
}

/// A tool without arguments is refused by one host or another in every form but this.
#[tokio::test]
async fn a_tool_without_arguments_has_an_empty_closed_object() {
    assert_eq!(
        listed().await["now"].0,
        json!({"type": "object", "properties": {}, "additionalProperties": false})
    );
}

#[tokio::test]
async fn numbers_have_bounds_in_place_of_formats() {
    let listed = listed().await;
    let properties = &listed["numbers"].0["properties"];
    for (name, minimum, maximum) in [
        ("a", json!(0), json!(255)),
        ("b", json!(0), json!(65_535)),
        ("c", json!(0), json!(4_294_967_295_u64)),
        ("h", json!(-128), json!(127)),
    ] {
        assert_eq!(properties[name]["type"], "integer");
        assert_eq!(properties[name]["minimum"], minimum, "{name}");
        assert_eq!(properties[name]["maximum"], maximum, "{name}");
    }
    for name in ["d", "e"] {
        assert_eq!(properties[name]["minimum"], 0, "{name}");
    }
    let text = listed["numbers"].0.to_string();
    assert!(
        !text.contains("format") && !text.contains("$schema"),
        "{text}"
    );
}

/// An untyped value has a schema that is an object, with or without a comment of its own.
#[tokio::test]
async fn no_schema_of_a_value_is_a_bare_boolean() {
    let listed = listed().await;
    for schema in [&listed["values"].0, listed["values"].1.as_ref().unwrap()] {
        for name in ["payload", "opt"] {
            assert!(schema["properties"][name].is_object(), "{name}: {schema}");
        }
        assert!(
            schema["properties"]["rows"]["items"].is_object(),
            "{schema}"
        );
        assert_eq!(schema["properties"]["extra"]["type"], "object");
    }
}

#[tokio::test]
async fn bounds_defaults_and_openness_are_listed() {
    let listed = listed().await;
    let properties = &listed["asks"].0["properties"];
    assert_eq!(properties["stars"]["minimum"], 1);
    assert_eq!(properties["stars"]["maximum"], 5);
    assert_eq!(properties["tags"]["maxItems"], 10);
    assert_eq!(properties["limit"]["default"], 10);
    // What a person answers is no argument.
    assert_eq!(properties.get("answer"), None);
    assert_eq!(listed["asks"].0["required"], json!(["stars", "tags"]));
    assert_ne!(listed["open_to_all"].0["additionalProperties"], false);
}

/// What the schema of a tagged enum promises, the tool accepts.
#[tokio::test]
async fn tagged_enums_are_accepted_as_their_schema_says() {
    let schemas = listed().await;
    let mut wire = open(tools![shapes, whole_shape]);
    for shape in [
        json!({"kind": "circle", "radius": 1.5}),
        json!({"kind": "square", "side": 2, "filters": [{"key": "a", "op": "less"}]}),
        json!({"kind": "nothing"}),
    ] {
        let arguments = json!({"shape": shape, "shapes": [shape]});
        assert!(
            jsonschema::is_valid(&schemas["shapes"].0, &arguments),
            "{shape}"
        );
        let answer = wire.call("shapes", arguments).await;
        assert_eq!(answer["result"].get("isError"), None, "{answer}");
        assert!(
            jsonschema::is_valid(&schemas["whole_shape"].0, &shape),
            "{shape}"
        );
        let answer = wire.call("whole_shape", shape.clone()).await;
        assert_eq!(answer["result"].get("isError"), None, "{answer}");
    }
    for shape in [
        json!({"kind": "circle"}),
        json!({"kind": "oval"}),
        json!({"radius": 1.5}),
        json!({"kind": "nothing", "radius": 1}),
    ] {
        let arguments = json!({"shape": shape, "shapes": []});
        assert!(
            !jsonschema::is_valid(&schemas["shapes"].0, &arguments),
            "{shape}"
        );
        let answer = wire.call("shapes", arguments).await;
        assert_eq!(answer["result"]["isError"], true, "{shape}");
    }
}
