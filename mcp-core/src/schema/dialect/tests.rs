//! Types of every kind that schemars derives, against the dialect that hosts accept.

#![allow(clippy::unwrap_used, dead_code)]

use std::collections::{BTreeMap, HashMap, HashSet};

use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Dialect, DialectOptions, needs_wrapping, to_dialect, wrap_result};
use crate::schema::{Validator, assert_provider_safe};

fn dialect<T: JsonSchema>(options: DialectOptions) -> Dialect {
    let dialect = to_dialect(schema_for!(T).to_value(), options).unwrap();
    if needs_wrapping(&dialect.schema) {
        assert_provider_safe(&wrap_result(dialect.schema.clone()));
    } else {
        assert_provider_safe(&dialect.schema);
    }
    Validator::with_patterns(dialect.checked(), |_| Ok(Box::new(|_| true))).unwrap();
    dialect
}

fn arguments<T: JsonSchema>() -> Value {
    dialect::<T>(DialectOptions::arguments()).schema
}

fn result<T: JsonSchema>() -> Value {
    dialect::<T>(DialectOptions::result()).schema
}

fn faults<T: JsonSchema>(options: DialectOptions) -> Vec<String> {
    let faults = to_dialect(schema_for!(T).to_value(), options).unwrap_err();
    faults.iter().map(ToString::to_string).collect()
}

fn any() -> Value {
    json!({"description": "Any JSON value.", "anyOf": [
        {"type": "object", "additionalProperties": true},
        {"type": "array", "items": {"description": "Any JSON value."}},
        {"type": "string"}, {"type": "number"}, {"type": "boolean"}, {"type": "null"},
    ]})
}

#[derive(Serialize, Deserialize, JsonSchema)]
enum Op {
    Eq,
    Lt,
}

/// One condition.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Filter {
    key: String,
    op: Op,
}

fn filter() -> Value {
    json!({"type": "object", "description": "One condition.",
        "properties": {"key": {"type": "string"}, "op": {"type": "string", "enum": ["Eq", "Lt"]}},
        "required": ["key", "op"], "additionalProperties": false})
}

#[derive(JsonSchema)]
struct Nothing {}

#[test]
fn no_arguments_are_an_empty_closed_object() {
    let expected = json!({"type": "object", "properties": {}, "additionalProperties": false});
    assert_eq!(arguments::<Nothing>(), expected);
    let schema = to_dialect(json!({"type": "object"}), DialectOptions::arguments()).unwrap();
    assert_eq!(schema.schema, expected);
    assert!(!schema.has_constraints);
}

#[derive(JsonSchema)]
struct Search {
    filters: Option<Vec<Filter>>,
    /// The main one.
    main: Filter,
    other: Option<Filter>,
}

#[test]
fn definitions_are_inlined_and_optional_means_absent() {
    let mut main = filter();
    main["description"] = "The main one.".into();
    assert_eq!(
        arguments::<Search>(),
        json!({"type": "object",
            "properties": {"filters": {"type": "array", "items": filter()}, "main": main, "other": filter()},
            "required": ["main"], "additionalProperties": false})
    );
}

#[derive(JsonSchema)]
struct Optional {
    name: String,
    note: Option<String>,
    size: Option<u32>,
    #[serde(default)]
    preset: Option<String>,
    twice: Option<Option<u8>>,
    op: Option<Op>,
    items: Vec<Option<u8>>,
    map: HashMap<String, Option<Op>>,
}

#[test]
fn null_is_written_only_where_absence_cannot_say_it() {
    let op = json!({"type": "string", "enum": ["Eq", "Lt"]});
    let small = json!({"type": "integer", "minimum": 0, "maximum": 255});
    assert_eq!(
        arguments::<Optional>(),
        json!({"type": "object", "properties": {
            "name": {"type": "string"},
            "note": {"type": "string"},
            "size": {"type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32},
            "preset": {"type": "string"},
            "twice": small,
            "op": op,
            "items": {"type": "array", "items": {"anyOf": [small, {"type": "null"}]}},
            "map": {"type": "object", "additionalProperties": {"anyOf": [op, {"type": "null"}]}},
        }, "required": ["name", "items", "map"], "additionalProperties": false})
    );
}

#[test]
fn results_write_null_for_an_empty_option() {
    let schema = result::<Optional>();
    assert_eq!(
        schema["properties"]["note"],
        json!({"anyOf": [{"type": "string"}, {"type": "null"}]})
    );
    assert_eq!(
        schema["properties"]["op"],
        json!({"anyOf": [{"type": "string", "enum": ["Eq", "Lt"]}, {"type": "null"}]})
    );
    assert_eq!(schema["properties"]["name"], json!({"type": "string"}));
}

#[derive(JsonSchema)]
struct Numbers {
    a: u8,
    b: u16,
    c: u32,
    d: u64,
    e: usize,
    f: i8,
    g: i16,
    h: i32,
    i: i64,
    j: f32,
    k: f64,
    l: std::num::NonZeroI16,
    m: std::num::NonZeroU8,
}

#[test]
fn formats_of_numbers_become_bounds() {
    let dialect = dialect::<Numbers>(DialectOptions::arguments());
    assert_eq!(
        dialect.schema["properties"],
        json!({
            "a": {"type": "integer", "minimum": 0, "maximum": 255},
            "b": {"type": "integer", "minimum": 0, "maximum": 65535},
            "c": {"type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32},
            "d": {"type": "integer", "minimum": 0},
            "e": {"type": "integer", "minimum": 0},
            "f": {"type": "integer", "minimum": -128, "maximum": 127},
            "g": {"type": "integer", "minimum": -32768, "maximum": 32767},
            "h": {"type": "integer", "minimum": -2_147_483_648, "maximum": 2_147_483_647},
            "i": {"type": "integer"},
            "j": {"type": "number"},
            "k": {"type": "number"},
            "l": {"type": "integer", "minimum": -32768, "maximum": 32767, "description": "Not 0."},
            "m": {"type": "integer", "minimum": 1, "maximum": 255},
        })
    );
}

#[derive(JsonSchema)]
struct Anything {
    payload: Value,
    /// With a word.
    documented: Value,
    rows: Vec<Value>,
    extra: HashMap<String, Value>,
    optional: Option<Value>,
    wrapped: Wrapped,
}

#[derive(JsonSchema)]
struct Wrapped(Value);

#[test]
fn any_json_is_a_described_union_everywhere() {
    let mut documented = any();
    documented["description"] = "With a word.".into();
    for schema in [arguments::<Anything>(), result::<Anything>()] {
        let expected = json!({
            "payload": any(),
            "documented": documented,
            "rows": {"type": "array", "items": any()},
            "extra": {"type": "object", "additionalProperties": true},
            "optional": any(),
            "wrapped": any(),
        });
        assert_eq!(schema["properties"], expected);
    }
}

#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Format {
    /// Markdown, the default.
    #[serde(rename = "md")]
    Markdown,
    /// Hypertext.
    Html,
    Plain,
}

#[derive(JsonSchema)]
enum Only {
    /// There is no other.
    One,
}

#[derive(JsonSchema)]
struct Enums {
    /// How to write it.
    format: Format,
    maybe: Option<Format>,
    only: Only,
    level: Level,
    sparse: Sparse,
}

/// As `Serialize_repr` and `JsonSchema_repr` make them.
struct Level;

impl JsonSchema for Level {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Level".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "integer", "enum": [1, 2, 3]})
    }
}

struct Sparse;

impl JsonSchema for Sparse {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Sparse".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"oneOf": [
            {"type": "integer", "const": 8, "description": "Much."},
            {"type": "integer", "const": 1},
        ]})
    }
}

#[test]
fn plain_enums_are_strings_and_their_docs_a_description() {
    let docs = "md: Markdown, the default.\nhtml: Hypertext.";
    assert_eq!(
        arguments::<Enums>()["properties"],
        json!({
            "format": {"type": "string", "enum": ["plain", "md", "html"], "description": format!("How to write it.\n{docs}")},
            "maybe": {"type": "string", "enum": ["plain", "md", "html"], "description": docs},
            "only": {"type": "string", "enum": ["One"], "description": "There is no other."},
            "level": {"type": "integer", "minimum": 1, "maximum": 3},
            "sparse": {"type": "integer", "minimum": 1, "maximum": 8, "description": "8: Much.\nOne of 1, 8."},
        })
    );
}

#[derive(JsonSchema)]
#[serde(tag = "kind")]
enum Shape {
    /// Round.
    Circle {
        radius: f64,
        label: Option<String>,
    },
    Box {
        width: f64,
        label: String,
    },
    Matching(Filter),
    Nothing,
}

#[derive(JsonSchema)]
struct HasShape {
    shape: Shape,
    maybe: Option<Shape>,
    list: Vec<Shape>,
}

fn shapes() -> Value {
    let tag = |value: &str| json!({"type": "string", "enum": [value]});
    json!([
        {"type": "object", "description": "Round.", "additionalProperties": false, "required": ["kind", "radius"],
            "properties": {"kind": tag("Circle"), "radius": {"type": "number"}, "label": {"type": "string"}}},
        {"type": "object", "additionalProperties": false, "required": ["kind", "width", "label"],
            "properties": {"kind": tag("Box"), "width": {"type": "number"}, "label": {"type": "string"}}},
        {"type": "object", "description": "One condition.", "additionalProperties": false, "required": ["kind", "key", "op"],
            "properties": {"kind": tag("Matching"), "key": {"type": "string"}, "op": {"type": "string", "enum": ["Eq", "Lt"]}}},
        {"type": "object", "additionalProperties": false, "required": ["kind"],
            "properties": {"kind": tag("Nothing")}},
    ])
}

#[test]
fn tagged_enums_are_closed_alternatives() {
    assert_eq!(
        arguments::<HasShape>()["properties"],
        json!({
            "shape": {"anyOf": shapes()},
            "maybe": {"anyOf": shapes()},
            "list": {"type": "array", "items": {"anyOf": shapes()}},
        })
    );
    let mut with_null = result::<HasShape>()["properties"]["maybe"]["anyOf"].clone();
    assert_eq!(
        with_null.as_array_mut().unwrap().pop(),
        Some(json!({"type": "null"}))
    );
}

#[test]
fn a_tagged_root_is_one_object_and_checked_exactly() {
    let dialect = dialect::<Shape>(DialectOptions::arguments());
    assert_eq!(
        dialect.schema,
        json!({"type": "object", "additionalProperties": false, "required": ["kind"], "properties": {
            "kind": {"type": "string", "enum": ["Circle", "Box", "Matching", "Nothing"],
                "description": "Circle: Round.\nMatching: One condition."},
            "radius": {"type": "number", "description": "Only with kind \"Circle\"; required there."},
            "width": {"type": "number", "description": "Only with kind \"Box\"; required there."},
            "label": {"type": "string", "description": "Only with kind \"Circle\", \"Box\"; required with kind \"Box\"."},
            "key": {"type": "string", "description": "Only with kind \"Matching\"; required there."},
            "op": {"type": "string", "enum": ["Eq", "Lt"], "description": "Only with kind \"Matching\"; required there."},
        }})
    );
    assert_eq!(dialect.exact, Some(json!({"anyOf": shapes()})));
    assert_eq!(dialect.checked(), &json!({"anyOf": shapes()}));
    assert!(dialect.has_constraints);
}

#[derive(JsonSchema)]
struct Flattened {
    name: String,
    #[serde(flatten)]
    filter: Filter,
    #[serde(flatten)]
    shape: Shape2,
}

#[derive(JsonSchema)]
#[serde(tag = "kind")]
enum Shape2 {
    Dot { x: u8 },
    Gone,
}

#[test]
fn flattened_members_belong_to_every_alternative() {
    let dialect = dialect::<Flattened>(DialectOptions::arguments());
    let exact = dialect.exact.unwrap();
    for alternative in exact["anyOf"].as_array().unwrap() {
        for name in ["name", "key", "op", "kind"] {
            assert!(
                alternative["properties"].get(name).is_some(),
                "{alternative}"
            );
        }
    }
    let mut required: Vec<String> =
        serde_json::from_value(dialect.schema["required"].clone()).unwrap();
    required.sort();
    assert_eq!(required, ["key", "kind", "name", "op"]);
}

#[derive(JsonSchema)]
struct FlatMap {
    name: String,
    #[serde(flatten)]
    rest: HashMap<String, u8>,
}

#[derive(JsonSchema)]
struct Maps {
    plain: BTreeMap<String, Filter>,
    numbered: BTreeMap<u32, String>,
    by_enum: BTreeMap<Op, u8>,
}

#[test]
fn maps_keep_the_schema_of_their_values() {
    let small = json!({"type": "integer", "minimum": 0, "maximum": 255});
    assert_eq!(
        arguments::<FlatMap>(),
        json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"], "additionalProperties": small})
    );
    assert_eq!(
        arguments::<Maps>()["properties"],
        json!({
            "plain": {"type": "object", "additionalProperties": filter()},
            "numbered": {"type": "object", "additionalProperties": {"type": "string"}, "description": "Keys are integers."},
            "by_enum": {"type": "object", "properties": {"Eq": small, "Lt": small}, "additionalProperties": false},
        })
    );
}

#[derive(JsonSchema)]
struct Lists {
    pair: (i32, String),
    point: (f64, f64),
    bytes: [u8; 3],
    set: HashSet<String>,
    letter: char,
    #[schemars(length(min = 1, max = 3), inner(length(min = 2)))]
    bounded: Vec<String>,
}

#[test]
fn lists_have_items_and_tuples_their_length() {
    assert_eq!(
        arguments::<Lists>()["properties"],
        json!({
            "pair": {"type": "array", "minItems": 2, "maxItems": 2, "description": "In this order: integer, string.",
                "items": {"anyOf": [{"type": "integer", "minimum": -2_147_483_648, "maximum": 2_147_483_647}, {"type": "string"}]}},
            "point": {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "number"}},
            "bytes": {"type": "array", "minItems": 3, "maxItems": 3, "items": {"type": "integer", "minimum": 0, "maximum": 255}},
            "set": {"type": "array", "uniqueItems": true, "items": {"type": "string"}},
            "letter": {"type": "string", "minLength": 1, "maxLength": 1},
            "bounded": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"type": "string", "minLength": 2}},
        })
    );
}

/// A tree.
#[derive(JsonSchema)]
struct Node {
    value: u8,
    children: Vec<Node>,
    next: Option<Box<Node>>,
}

#[derive(JsonSchema)]
struct HasNode {
    root: Node,
    filter: Filter,
}

#[derive(JsonSchema)]
#[serde(tag = "op")]
enum Expr {
    Literal { value: i64 },
    Add { left: Box<Expr>, right: Box<Expr> },
}

#[test]
fn recursion_goes_through_definitions_and_nothing_else_does() {
    let reference = json!({"$ref": "#/$defs/Node"});
    let node = json!({"type": "object", "description": "A tree.",
        "properties": {"value": {"type": "integer", "minimum": 0, "maximum": 255},
            "children": {"type": "array", "items": reference}, "next": reference},
        "required": ["value", "children"], "additionalProperties": false});
    assert_eq!(
        arguments::<HasNode>(),
        json!({"type": "object", "properties": {"root": reference, "filter": filter()},
            "required": ["root", "filter"], "additionalProperties": false, "$defs": {"Node": node}})
    );
    // A recursive root stands at the root as well as among the definitions.
    let mut root = node.clone();
    root["$defs"] = json!({"Node": node});
    assert_eq!(arguments::<Node>(), root);
}

#[test]
fn recursive_enums_work_nested_and_at_the_root() {
    let dialect = dialect::<Expr>(DialectOptions::arguments());
    assert_eq!(
        dialect.schema["$defs"]["Expr"]["anyOf"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    let reference =
        json!({"$ref": "#/$defs/Expr", "description": "Only with op \"Add\"; required there."});
    assert_eq!(dialect.schema["properties"]["left"], reference);
    assert_eq!(dialect.exact.unwrap()["$defs"], dialect.schema["$defs"]);
    let wrapped = wrap_result(result::<Vec<Expr>>());
    assert_provider_safe(&wrapped);
    assert!(wrapped["$defs"]["Expr"].is_object());
}

#[derive(JsonSchema)]
enum External {
    Unit,
    Data { x: u8 },
    Pair(u8, u8),
}

#[derive(JsonSchema)]
#[serde(untagged)]
enum Untagged {
    Number(u8),
    Text(String),
}

#[derive(JsonSchema)]
#[serde(tag = "type", content = "data")]
enum Adjacent {
    Number(u8),
    Data { x: u8 },
    Unit,
}

#[derive(JsonSchema)]
enum Never {}

#[derive(JsonSchema)]
struct Bad {
    external: External,
    list: Vec<Untagged>,
    result: Result<u8, String>,
    never: Never,
}

#[test]
fn enums_with_data_and_no_tag_name_the_attribute_to_add() {
    let mut faults = faults::<Bad>(DialectOptions::arguments());
    faults.sort();
    assert_eq!(faults.len(), 4, "{faults:#?}");
    assert!(
        faults[0]
            .starts_with("the schema at `/properties/external` is an enum whose variants are keys"),
        "{}",
        faults[0]
    );
    assert!(
        faults[1].starts_with("the schema at `/properties/list/items` offers several shapes"),
        "{}",
        faults[1]
    );
    assert!(
        faults[2].starts_with("the schema at `/properties/never` "),
        "{}",
        faults[2]
    );
    assert!(
        faults[3]
            .starts_with("the schema at `/properties/result` is an enum whose variants are keys"),
        "{}",
        faults[3]
    );
    for i in [0, 1, 3] {
        assert!(
            faults[i].contains("#[serde(tag = \"kind\")]"),
            "{}",
            faults[i]
        );
    }
}

#[derive(JsonSchema)]
struct HasAdjacent {
    it: Adjacent,
}

#[test]
fn adjacent_tags_are_tags() {
    let schema = arguments::<HasAdjacent>();
    let alternatives = schema["properties"]["it"]["anyOf"].as_array().unwrap();
    assert_eq!(
        alternatives[0],
        json!({"type": "object", "additionalProperties": false, "required": ["type", "data"], "properties": {
            "type": {"type": "string", "enum": ["Number"]}, "data": {"type": "integer", "minimum": 0, "maximum": 255}}})
    );
    assert_eq!(alternatives.len(), 3);
}

#[test]
fn arguments_are_an_object_and_results_are_wrapped() {
    for faults in [
        faults::<Vec<u8>>(DialectOptions::arguments()),
        faults::<String>(DialectOptions::arguments()),
    ] {
        assert_eq!(
            faults,
            ["the schema is no object: arguments are named, so take a struct with named fields"]
        );
    }
    let schema = result::<Vec<Filter>>();
    assert!(needs_wrapping(&schema));
    assert_eq!(
        wrap_result(schema),
        json!({"type": "object", "properties": {"result": {"type": "array", "items": filter()}},
            "required": ["result"], "additionalProperties": false})
    );
    assert_eq!(result::<i64>(), json!({"type": "integer"}));
    assert!(!needs_wrapping(&result::<Filter>()));
    assert!(!needs_wrapping(&result::<Shape>()));
    let nullable = result::<Option<Filter>>();
    assert!(needs_wrapping(&nullable));
    assert_eq!(nullable["anyOf"][1], json!({"type": "null"}));
    assert!(needs_wrapping(&result::<Value>()));
}

#[test]
fn an_open_root_says_so_and_nothing_below_is_open() {
    let schema = dialect::<Search>(DialectOptions::arguments().open()).schema;
    assert_eq!(schema["additionalProperties"], json!(true));
    assert_eq!(
        schema["properties"]["main"]["additionalProperties"],
        json!(false)
    );
    let shapes = dialect::<Shape>(DialectOptions::arguments().open());
    assert_eq!(shapes.schema["additionalProperties"], json!(true));
    let exact = shapes.exact.unwrap();
    assert!(
        exact["anyOf"]
            .as_array()
            .unwrap()
            .iter()
            .all(|schema| schema["additionalProperties"] == true)
    );
}

#[derive(JsonSchema)]
struct Annotated {
    #[schemars(title = "Size", example = 5, extend("x-widget" = "slider"))]
    #[deprecated]
    size: u8,
    #[schemars(email)]
    email: String,
    ip: std::net::IpAddr,
    #[schemars(regex(pattern = "^a"))]
    pattern: String,
    #[serde(default = "three")]
    three: u8,
}

fn three() -> u8 {
    3
}

#[test]
fn annotations_that_help_a_model_stay() {
    assert_eq!(
        arguments::<Annotated>()["properties"],
        json!({
            "size": {"type": "integer", "minimum": 0, "maximum": 255, "title": "Size", "description": "For example: 5."},
            "email": {"type": "string", "format": "email"},
            "ip": {"type": "string"},
            "pattern": {"type": "string", "pattern": "^a"},
            "three": {"type": "integer", "minimum": 0, "maximum": 255, "default": 3},
        })
    );
}

#[derive(JsonSchema)]
struct Closed {
    inner: Inner,
}

#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
struct Inner {
    a: Option<u8>,
    op: Op,
}

#[derive(JsonSchema)]
struct Signed {
    #[schemars(range(min = 0))]
    a: i64,
}

#[derive(JsonSchema)]
struct Limited {
    #[schemars(length(max = 3))]
    a: String,
}

#[test]
fn constraints_are_what_a_decoder_does_not_enforce() {
    let constrained = [
        (
            dialect::<Optional>(DialectOptions::arguments()).has_constraints,
            false,
            "plain types",
        ),
        (
            dialect::<Closed>(DialectOptions::arguments()).has_constraints,
            false,
            "deny_unknown_fields",
        ),
        (
            dialect::<Anything>(DialectOptions::arguments()).has_constraints,
            false,
            "any JSON",
        ),
        (
            dialect::<Search>(DialectOptions::arguments()).has_constraints,
            true,
            "a nested struct that we close",
        ),
        (
            dialect::<Signed>(DialectOptions::arguments()).has_constraints,
            true,
            "a bound of an unsigned on a signed",
        ),
        (
            dialect::<Limited>(DialectOptions::arguments()).has_constraints,
            true,
            "a length",
        ),
        (
            dialect::<Shape>(DialectOptions::arguments()).has_constraints,
            true,
            "alternatives at the root",
        ),
    ];
    for (found, expected, what) in constrained {
        assert_eq!(found, expected, "{what}");
    }
}

#[test]
fn what_hosts_do_not_know_is_a_fault() {
    let property = |schema: Value| {
        let root = json!({"type": "object", "properties": {"a": schema}});
        to_dialect(root, DialectOptions::arguments()).unwrap_err()[0].to_string()
    };
    let cases = [
        (json!({"type": "string", "if": {}}), "has the keyword `if`"),
        (
            json!({"type": "array", "items": {"type": "string"}, "contains": {}}),
            "has the keyword `contains`",
        ),
        (
            json!({"$ref": "#/$defs/Missing"}),
            "refers to `#/$defs/Missing`",
        ),
        (json!({"type": "float"}), "has the type `float`"),
        (json!(false), "accepts no value"),
        (json!({"enum": ["a", 1]}), "mixed values"),
        (json!({"minimum": 1}), "has no `type`"),
        (
            json!({"oneOf": [{"type": "string"}, {"type": "integer"}]}),
            "nothing that tells them apart",
        ),
    ];
    for (schema, expected) in cases {
        let fault = property(schema);
        assert!(
            fault.starts_with("the schema at `/properties/a` ") && fault.contains(expected),
            "{fault}"
        );
    }
}

#[test]
fn several_types_become_alternatives() {
    let root = json!({"type": "object", "properties": {"a": {"type": ["string", "integer", "null"], "minLength": 1, "description": "D"}}});
    let dialect = to_dialect(root, DialectOptions::arguments()).unwrap();
    assert_eq!(
        dialect.schema["properties"]["a"],
        json!({"description": "D", "anyOf": [{"type": "string", "minLength": 1}, {"type": "integer"}]})
    );
    assert_provider_safe(&dialect.schema);
}

#[test]
fn types_that_double_at_each_level_end_in_a_fault() {
    let mut definitions = serde_json::Map::new();
    for i in 0..30 {
        let next = json!({"$ref": format!("#/$defs/L{}", i + 1)});
        definitions.insert(
            format!("L{i}"),
            json!({"type": "object", "properties": {"a": next, "b": next}}),
        );
    }
    definitions.insert("L30".to_owned(), json!({"type": "string"}));
    let root = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/L0"}}, "$defs": definitions});
    let faults = to_dialect(root, DialectOptions::arguments()).unwrap_err();
    assert!(faults[0].problem.contains("20000 parts"), "{}", faults[0]);
    let ring = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}});
    // A definition that is only ever another name has no value to check: it must not hang or overflow.
    let _ = to_dialect(ring, DialectOptions::arguments());
    let mut deep = json!({"type": "string"});
    for _ in 0..100 {
        deep = json!({"type": "array", "items": deep});
    }
    let root = json!({"type": "object", "properties": {"a": deep}});
    let faults = to_dialect(root, DialectOptions::arguments()).unwrap_err();
    assert!(faults[0].problem.contains("64 deep"), "{}", faults[0]);
}

#[test]
fn a_schema_that_is_an_option_of_itself_ends_in_a_fault() {
    let option = |reference: &str| json!([{"$ref": reference}, {"type": "null"}]);
    let of = |a: Value| {
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {
            "A": a, "B": {"title": "B", "type": "string", "oneOf": option("#/$defs/A")},
        }})
    };
    for root in [
        json!({"type": "object", "anyOf": option("#")}),
        json!({"properties": {"a": {"type": "string"}}, "oneOf": option("#")}),
        of(json!({"type": "object", "anyOf": option("#/$defs/A")})),
        of(json!({"minLength": 1, "oneOf": option("#/$defs/A")})),
        of(json!({"properties": {}, "anyOf": option("#/$defs/B")})),
        of(json!({"type": "string", "allOf": [{"anyOf": option("#/$defs/A")}]})),
    ] {
        for options in [DialectOptions::arguments(), DialectOptions::result()] {
            let faults = to_dialect(root.clone(), options).unwrap_err();
            let problem = "refers to itself without ever naming a type";
            assert!(
                faults.iter().any(|fault| fault.problem == problem),
                "{root} {faults:?}"
            );
        }
    }
}

#[test]
fn options_of_options_are_one() {
    let option = |schema: Value| json!({"anyOf": [schema, {"type": "null"}]});
    let root =
        |schema: Value| json!({"type": "object", "properties": {"a": schema}, "required": ["a"]});
    let (mut inner, mut outer) = (json!({"type": "string"}), json!({"type": "string"}));
    inner = option(inner);
    for _ in 0..32 {
        outer = option(outer);
    }
    for options in [DialectOptions::arguments(), DialectOptions::result()] {
        assert_eq!(
            to_dialect(root(outer.clone()), options).unwrap(),
            to_dialect(root(inner.clone()), options).unwrap()
        );
    }
}

#[test]
fn a_long_chain_of_recursive_definitions_is_converted() {
    let mut definitions = serde_json::Map::new();
    for i in 0..2000 {
        let next = format!("#/$defs/N{}", (i + 1) % 2000);
        definitions.insert(
            format!("N{i}"),
            json!({"type": "object", "properties": {"next": {"$ref": next}}}),
        );
    }
    let root = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/N0"}}, "$defs": definitions});
    let schema = to_dialect(root, DialectOptions::arguments())
        .unwrap()
        .schema;
    assert_eq!(schema["$defs"].as_object().unwrap().len(), 2000);
    assert_eq!(
        schema["$defs"]["N1999"]["properties"]["next"],
        json!({"$ref": "#/$defs/N0"})
    );
}

#[test]
fn names_in_references_are_decoded_and_made_plain() {
    let root = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/T%3Cu8%3E"}},
        "$defs": {"T<u8>": {"type": "object", "properties": {"t": {"$ref": "#/$defs/T<u8>"}}}}});
    let schema = to_dialect(root, DialectOptions::arguments())
        .unwrap()
        .schema;
    assert_eq!(schema["properties"]["a"], json!({"$ref": "#/$defs/T_u8_"}));
    assert_provider_safe(&schema);
}

#[test]
fn fields_may_have_the_names_of_keywords() {
    let fields = ["default", "enum", "properties", "$ref", "$defs"];
    let node = json!({"$ref": "#/$defs/Node"});
    let of_type = |schema: &Value| -> Value {
        let properties = fields.map(|name| (name.to_owned(), schema.clone()));
        json!({"type": "object", "properties": serde_json::Map::from_iter(properties)})
    };
    let mut root = of_type(&node);
    root["$defs"] = json!({"Node": of_type(&node)});
    let schema = to_dialect(root, DialectOptions::arguments())
        .unwrap()
        .schema;
    for name in fields {
        assert_eq!(schema["properties"][name], node);
        assert_eq!(schema["$defs"]["Node"]["properties"][name], node);
    }
    assert_provider_safe(&schema);
}

mod anything_derived {
    use proptest::prelude::*;

    use super::*;

    /// Schemas as schemars writes them, put together at random.
    fn schemas() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(json!(true)),
            Just(json!({"type": "string"})),
            Just(json!({"type": ["string", "null"], "default": null})),
            Just(json!({"type": "integer", "format": "uint64", "minimum": 0})),
            Just(
                json!({"type": ["integer", "null"], "format": "uint8", "minimum": 0, "maximum": 255})
            ),
            Just(
                json!({"oneOf": [{"type": "string", "const": "a", "description": "A"}, {"type": "string", "enum": ["b"]}]})
            ),
            Just(json!({"$ref": "#/$defs/Node"})),
            Just(json!({"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]})),
            Just(json!({"description": "words"})),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                inner.clone().prop_map(|schema| json!({"type": "array", "items": schema})),
                inner.clone().prop_map(|schema| json!({"type": "object", "additionalProperties": schema})),
                inner.clone().prop_map(|schema| json!({"anyOf": [schema, {"type": "null"}]})),
                (inner.clone(), inner.clone()).prop_map(|(a, b)| json!({"type": "array", "prefixItems": [a, b], "minItems": 2, "maxItems": 2})),
                (inner.clone(), inner.clone()).prop_map(|(a, b)| json!({"type": "object", "properties": {"a": a, "b": b}, "required": ["a"]})),
                (inner.clone(), inner).prop_map(|(a, b)| json!({"oneOf": [
                    {"type": "object", "properties": {"t": {"type": "string", "const": "A"}, "a": a}, "required": ["t"]},
                    {"type": "object", "properties": {"t": {"type": "string", "const": "B"}, "b": b}, "required": ["t", "b"]},
                ]})),
            ]
        })
    }

    proptest! {
        #[test]
        fn is_provider_safe_and_compiles(schema in schemas()) {
            let root = json!({"type": "object", "properties": {"x": schema}, "required": ["x"], "$defs": {
                "Node": {"type": "object", "properties": {"next": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]}}},
            }});
            for options in [DialectOptions::arguments(), DialectOptions::result()] {
                let dialect = to_dialect(root.clone(), options).unwrap();
                assert_provider_safe(&dialect.schema);
                prop_assert!(Validator::new(&dialect.schema).is_ok());
            }
        }
    }
}
