//! Arguments as hosts send them, against the schemas that we serve.

#![allow(clippy::unwrap_used, dead_code)]

use std::collections::HashMap;

use proptest::prelude::*;
use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{MAX_DEPTH, MAX_VIOLATIONS, Received, Validator};
use crate::schema::{DialectOptions, coerce, to_dialect};

fn validator<T: JsonSchema>() -> Validator {
    let dialect = to_dialect(schema_for!(T).to_value(), DialectOptions::arguments()).unwrap();
    Validator::new(dialect.checked()).unwrap()
}

fn compiled(schema: Value) -> Validator {
    Validator::new(&schema).unwrap()
}

fn sentences(validator: &Validator, value: &Value) -> Vec<String> {
    match validator.validate(value) {
        Ok(()) => Vec::new(),
        Err(violations) => violations.iter().map(ToString::to_string).collect(),
    }
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

const FITS: [&str; 0] = [];

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Meta {
    tags: Vec<String>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Arguments {
    limit: u32,
    dry: bool,
    meta: Option<Meta>,
    title: String,
}

#[test]
fn strings_are_never_taken_for_what_they_contain() {
    let arguments = json!({"limit": "50", "dry": "false", "meta": "{\"tags\":[\"a\"]}", "title": "{\"not\":\"json\"}"});
    assert_eq!(
        sentences(&validator::<Arguments>(), &arguments),
        [
            "`/dry` must be a boolean, received a string",
            "`/limit` must be an integer, received a string",
            "`/meta` must be an object, received a string",
        ]
    );
    let mut rewritten = arguments.clone();
    assert!(!coerce(&validator::<Arguments>(), &mut rewritten));
    assert_eq!(rewritten, arguments);
}

#[test]
fn violations_carry_pointer_expectation_and_type() {
    let violations = validator::<Arguments>()
        .validate(&json!({"limit": "x", "title": 5, "extra": 1}))
        .unwrap_err();
    let find = |pointer: &str| {
        violations
            .iter()
            .find(|violation| violation.pointer == pointer)
            .unwrap()
    };
    assert_eq!(find("/limit").expected, "an integer");
    assert_eq!(find("/limit").received_type(), Some("string"));
    assert_eq!(find("/dry").received, Received::Missing);
    assert_eq!(
        find("/dry").to_string(),
        "missing required argument `dry`: must be a boolean"
    );
    assert_eq!(find("/title").received_type(), Some("number"));
    assert_eq!(find("/extra").received, Received::UnknownKey);
    assert_eq!(find("/extra").received_type(), None);
}

#[test]
fn unknown_arguments_are_named_with_the_known_ones() {
    #[derive(JsonSchema)]
    struct Walk {
        max_depth: Option<u8>,
    }
    #[derive(JsonSchema)]
    struct None {}
    #[derive(JsonSchema)]
    struct Nested {
        inner: Vec<Walk>,
    }
    assert_eq!(
        sentences(&validator::<Walk>(), &json!({"depth": 1})),
        ["unknown argument `depth`; known arguments: `max_depth`"]
    );
    assert_eq!(
        sentences(&validator::<None>(), &json!({"x": 1})),
        ["unknown argument `x`; there are none"]
    );
    assert_eq!(
        sentences(
            &validator::<Nested>(),
            &json!({"inner": [{}, {"depth": 1}]})
        ),
        ["unknown argument `/inner/1/depth`; known arguments: `max_depth`"]
    );
    let violations = validator::<Walk>()
        .validate(&json!({"depth": 1}))
        .unwrap_err();
    assert_eq!(
        violations[0].in_words("member"),
        "unknown member `depth`; known members: `max_depth`"
    );
}

#[test]
fn arguments_that_are_no_object_say_so() {
    for (value, name) in [
        (json!([]), "an array"),
        (json!("x"), "a string"),
        (Value::Null, "null"),
    ] {
        assert_eq!(
            sentences(&validator::<Arguments>(), &value),
            [format!("the arguments must be an object, received {name}")]
        );
    }
}

#[test]
fn null_is_absent_for_optional_arguments_only() {
    let validator = validator::<Arguments>();
    assert_eq!(
        sentences(
            &validator,
            &json!({"limit": 1, "dry": true, "meta": null, "title": ""})
        ),
        FITS
    );
    assert_eq!(
        sentences(
            &validator,
            &json!({"limit": null, "dry": true, "title": ""})
        ),
        ["`/limit` must be an integer, received null"]
    );
}

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Ids {
    u: Option<u64>,
    i: Option<i64>,
    small: Option<u8>,
}

#[test]
fn integers_are_exact_and_never_wrap() {
    let validator = validator::<Ids>();
    let check = |text: &str| sentences(&validator, &parse(text));
    for text in [
        r#"{"u": 9007199254740993}"#,
        r#"{"u": 18446744073709551615}"#,
        r#"{"i": -9223372036854775808}"#,
        r#"{"u": 5.0}"#,
        r#"{"small": 255}"#,
    ] {
        assert_eq!(check(text), FITS, "{text}");
        let mut value = parse(text);
        coerce(&validator, &mut value);
        let decoded: Ids = serde_json::from_value(value.clone()).unwrap();
        let back = serde_json::to_value(decoded).unwrap();
        for (key, exact) in value.as_object().unwrap() {
            assert_eq!(&back[key], exact, "{text}");
        }
    }
    let too_wide = "must be an integer of at most 64 bits, written without fraction and exponent";
    assert_eq!(
        check(r#"{"u": 18446744073709551616}"#),
        [format!("`/u` {too_wide}")]
    );
    assert_eq!(
        check(r#"{"i": 18446744073709551616}"#),
        [format!("`/i` {too_wide}")]
    );
    assert_eq!(check(r#"{"u": -1}"#), ["`/u` must be at least 0"]);
    assert_eq!(check(r#"{"small": 256}"#), ["`/small` must be at most 255"]);
    assert_eq!(
        check(r#"{"small": 1.5}"#),
        ["`/small` must be an integer, without a fraction"]
    );
}

#[test]
fn every_constraint_has_its_sentence() {
    let schema = json!({"type": "object", "properties": {
        "count": {"type": "integer", "minimum": 1, "maximum": 10, "multipleOf": 2},
        "share": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        "name": {"type": "string", "minLength": 2, "maxLength": 3},
        "list": {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2, "uniqueItems": true},
        "op": {"type": "string", "enum": ["Eq", "Lt"]},
        "map": {"type": "object", "additionalProperties": {"type": "boolean"}, "minProperties": 1, "maxProperties": 1},
        "pair": {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "items": false},
        "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        "exactly": {"oneOf": [{"type": "number"}, {"type": "integer"}]},
        "both": {"allOf": [{"type": "integer"}, {"minimum": 3}]},
        "always": {"const": 7},
    }});
    let validator = compiled(schema);
    assert!(validator.has_constraints());
    let fitting = json!({"count": 4, "share": 0.5, "name": "🎉é", "list": [1, 2], "op": "Eq", "map": {"a": true},
        "pair": [1, "a"], "either": 5, "exactly": 1.5, "both": 3, "always": 7.0});
    assert_eq!(sentences(&validator, &fitting), FITS);
    let cases = [
        ("count", json!(0), "must be at least 1"),
        ("count", json!(12), "must be at most 10"),
        ("count", json!(3), "must be a multiple of 2"),
        ("share", json!(0), "must be greater than 0"),
        ("share", json!(1), "must be less than 1"),
        (
            "name",
            json!("🎉"),
            "must be a string of at least 2 characters",
        ),
        (
            "name",
            json!("🎉é🎉é"),
            "must be a string of at most 3 characters",
        ),
        ("list", json!([]), "must be an array of at least 1 item"),
        (
            "list",
            json!([1, 2, 3]),
            "must be an array of at most 2 items",
        ),
        (
            "list",
            json!([1, 1.0]),
            "must be an array without repeated items",
        ),
        ("op", json!("Gt"), "must be one of \"Eq\", \"Lt\""),
        (
            "op",
            json!(1),
            "must be one of \"Eq\", \"Lt\", received a number",
        ),
        ("map", json!({}), "must be an object of at least 1 member"),
        (
            "either",
            json!(true),
            "must be a string or an integer, received a boolean",
        ),
        (
            "exactly",
            json!(1),
            "must be of one kind only, and it fits several",
        ),
        ("both", json!(2), "must be at least 3"),
        ("always", json!(8), "must be 7"),
    ];
    for (key, value, expected) in cases {
        let found = sentences(&validator, &json!({key: value}));
        assert_eq!(found, [format!("`/{key}` {expected}")]);
    }
    assert_eq!(
        sentences(
            &validator,
            &json!({"map": {"a": 1}, "pair": ["x", 1, true]})
        ),
        [
            "`/map/a` must be a boolean, received a number",
            "`/pair/0` must be an integer, received a string",
            "`/pair/1` must be a string, received a number",
            "`/pair/2` must be absent",
        ]
    );
}

#[test]
fn values_are_never_repeated_and_keys_are_cut() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string", "maxLength": 3}}, "additionalProperties": false});
    let validator = compiled(schema);
    let secret = "hunter2".repeat(1000);
    let found = sentences(
        &validator,
        &json!({"a": secret, (secret.clone()): 1, "b\n\u{1b}[2J": 1}),
    );
    assert_eq!(found.len(), 3);
    for sentence in &found {
        assert!(
            sentence.len() < 200 && !sentence.contains(['\n', '\u{1b}']),
            "{sentence}"
        );
    }
    assert!(found.contains(&"`/a` must be a string of at most 3 characters".to_owned()));
}

#[test]
fn reports_end() {
    let schema = compiled(json!({"type": "array", "items": {"type": "integer"}}));
    let found = schema.validate(&json!(vec!["x"; 10_000])).unwrap_err();
    assert_eq!(found.len(), MAX_VIOLATIONS);
    let many: Vec<String> = (0..1000).map(|i| format!("v{i}")).collect();
    let found = sentences(
        &compiled(json!({"type": "string", "enum": many})),
        &json!("x"),
    );
    assert!(found[0].ends_with("and 976 more"), "{}", found[0]);
}

/// A hundred million names would have to be put into words, if each misfit were.
#[test]
fn misfits_that_are_not_told_cost_next_to_nothing() {
    let properties: serde_json::Map<String, Value> = (0..2000)
        .map(|i| (format!("known{i}"), json!({"type": "integer"})))
        .collect();
    let schema = compiled(
        json!({"type": "object", "properties": properties, "additionalProperties": false}),
    );
    let unknown: serde_json::Map<String, Value> =
        (0..50_000).map(|i| (format!("k{i}"), json!(0))).collect();
    let begin = std::time::Instant::now();
    let found = schema.validate(&unknown.into()).unwrap_err();
    assert_eq!(found.len(), MAX_VIOLATIONS);
    let took = begin.elapsed();
    assert!(took < std::time::Duration::from_secs(2), "{took:?}");
}

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum Shape {
    Circle { radius: u8, label: Option<String> },
    Box { width: f64 },
    Group { parts: Vec<Shape> },
}

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Drawing {
    shape: Shape,
    others: Vec<Option<Shape>>,
}

#[test]
fn a_tag_picks_the_alternative_that_complains() {
    let validator = validator::<Drawing>();
    let check = |shape: Value| sentences(&validator, &json!({"shape": shape, "others": [null]}));
    assert_eq!(
        check(json!({"kind": "Circle", "radius": 1, "label": null})),
        FITS
    );
    assert_eq!(
        check(json!({"kind": "Circle", "width": 1})),
        [
            "missing required argument `/shape/radius`: must be an integer",
            "unknown argument `/shape/width`; known arguments: `kind`, `label`, `radius`",
        ]
    );
    assert_eq!(
        check(json!({"radius": 1})),
        ["missing required argument `/shape/kind`: must be one of \"Circle\", \"Box\", \"Group\""]
    );
    assert_eq!(
        check(json!({"kind": "Star"})),
        ["`/shape/kind` must be one of \"Circle\", \"Box\", \"Group\""]
    );
    assert_eq!(
        check(json!("Circle")),
        ["`/shape` must be an object, received a string"]
    );
    assert_eq!(
        check(
            json!({"kind": "Group", "parts": [{"kind": "Group", "parts": [{"kind": "Box", "width": "1"}]}]})
        ),
        ["`/shape/parts/0/parts/0/width` must be a number, received a string"]
    );
    assert_eq!(
        sentences(
            &validator,
            &json!({"shape": {"kind": "Box", "width": 1}, "others": [null, {"kind": "Box"}, 5]})
        ),
        [
            "missing required argument `/others/1/width`: must be a number",
            "`/others/2` must be an object or null, received a number",
        ]
    );
}

#[test]
fn a_tagged_root_is_checked_exactly() {
    let validator = validator::<Shape>();
    assert_eq!(
        sentences(&validator, &json!({"kind": "Box", "width": 1})),
        FITS
    );
    assert_eq!(
        sentences(&validator, &json!({"kind": "Box", "radius": 1})),
        [
            "missing required argument `width`: must be a number",
            "unknown argument `radius`; known arguments: `kind`, `width`",
        ]
    );
}

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Node {
    value: u8,
    next: Option<Box<Node>>,
    all: Option<Vec<Option<Node>>>,
}

#[test]
fn depth_is_bounded_and_failure_is_not_exponential() {
    let validator = validator::<Node>();
    let mut value = json!({"value": "wrong"});
    for _ in 0..40 {
        value = json!({"value": 1, "all": [value]});
    }
    let found = sentences(&validator, &value);
    assert_eq!(found.len(), 1);
    assert!(
        found[0].ends_with("/value` must be an integer, received a string"),
        "{}",
        found[0]
    );

    let mut deep = json!({"value": 1});
    for _ in 0..MAX_DEPTH {
        deep = json!({"value": 1, "next": deep});
    }
    let found = sentences(&validator, &deep);
    assert!(
        found[0].ends_with(&format!("must be nested at most {MAX_DEPTH} deep")),
        "{}",
        found[0]
    );
    // A reference to itself consumes nothing of the value.
    let ring = compiled(json!({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}}));
    assert_eq!(ring.validate(&json!(1)).unwrap_err().len(), 1);
    let ring = compiled(
        json!({"$ref": "#/$defs/A", "$defs": {"A": {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/A"}]}}}),
    );
    assert!(ring.validate(&json!(1)).is_err());
    assert!(!coerce(&ring, &mut json!(1.0)));
    // Two alternatives of one type at each level are tried a bounded number of times.
    let branching = compiled(json!({"$ref": "#/$defs/A", "$defs": {"A": {"anyOf": [
        {"type": "array", "items": {"$ref": "#/$defs/A"}},
        {"type": "array", "items": {"$ref": "#/$defs/A"}, "maxItems": 9},
    ]}}}));
    let mut nested = json!(1);
    for _ in 0..60 {
        nested = json!([nested]);
    }
    assert!(branching.validate(&nested).is_err());
}

#[test]
fn a_schema_that_refers_to_itself_without_going_deeper_does_not_run_away() {
    let a = json!({"$ref": "#/$defs/A"});
    let nothing = json!({"type": "null"});
    for definition in [
        json!({"anyOf": [a, nothing]}),
        json!({"oneOf": [a, nothing]}),
        json!({"anyOf": [a, {"type": "integer"}]}),
        json!({"$ref": "#/$defs/A", "anyOf": [a, nothing]}),
        json!({"allOf": [a, a]}),
        json!({"allOf": [a, {"type": "integer"}]}),
        json!({"type": ["null", "integer"], "anyOf": [a, a], "oneOf": [a, a, nothing]}),
        json!({"oneOf": [a, {"allOf": [a, a]}]}),
    ] {
        let ring = compiled(
            json!({"type": "object", "properties": {"a": a, "b": {"type": "array", "items": a}}, "$defs": {"A": definition}}),
        );
        for value in [
            json!(null),
            json!(1),
            json!(1.0),
            json!("x"),
            json!({"a": []}),
        ] {
            let mut value = json!({"a": value, "b": [value]});
            let before = value.clone();
            // Whether it fits is nothing that such a schema says.
            let _ = ring.validate(&value);
            if !coerce(&ring, &mut value) {
                assert_eq!(value, before, "{definition}");
            }
        }
    }
}

#[test]
fn what_a_schema_asks_of_one_value_again_and_again_has_an_end() {
    let mut definitions = serde_json::Map::new();
    for i in 0..14 {
        let next = json!({"$ref": format!("#/$defs/L{}", i + 1)});
        definitions.insert(format!("L{i}"), json!({"allOf": vec![next; 8]}));
    }
    definitions.insert("L14".to_owned(), json!({"type": "string"}));
    let multiplying = compiled(json!({"$ref": "#/$defs/L0", "$defs": definitions}));
    let found = sentences(&multiplying, &json!("x"));
    assert!(found[0].contains("takes too long"), "{found:?}");
}

#[test]
fn a_large_value_may_take_its_time() {
    let item = json!({"type": "integer"});
    let list = compiled(
        json!({"type": "array", "items": {"allOf": [item, item, {"$ref": "#/$defs/A"}]}, "$defs": {"A": item}}),
    );
    let value = Value::Array(vec![json!(1); 300_000]);
    assert_eq!(list.validate(&value), Ok(()));
}

#[test]
fn deep_values_under_schemas_that_go_round_fit_on_the_stack_of_a_thread() {
    /// Objects in objects; from each to the next there are so many references, as the parts of such a combination.
    fn chained(links: usize, around: impl Fn(Value) -> Value) -> Validator {
        let mut definitions = serde_json::Map::new();
        for i in 0..links {
            let next = json!({"$ref": format!("#/$defs/L{}", i + 1)});
            definitions.insert(format!("L{i}"), around(next));
        }
        definitions.insert(
            format!("L{links}"),
            json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/L0"}, "n": {"type": "integer"}}}),
        );
        compiled(json!({"$ref": "#/$defs/L0", "$defs": definitions}))
    }
    let all_of = |next: Value| json!({"allOf": [next]});
    let any_of = |next: Value| json!({"anyOf": [next, {"type": "object", "required": ["b"]}]});
    let one_of = |next: Value| json!({"oneOf": [next, {"type": "object", "required": ["b"]}]});
    let mut value = json!({"n": 1.0});
    for _ in 0..126 {
        value = json!({"a": value});
    }
    for deep in [
        chained(14, all_of),
        chained(14, any_of),
        chained(14, one_of),
    ] {
        assert!(deep.validate(&value).is_err());
        assert!(!coerce(&deep, &mut value));
    }
    for deep in [chained(3, all_of), chained(2, any_of), chained(2, one_of)] {
        assert_eq!(deep.validate(&value), Ok(()));
        assert!(coerce(&deep, &mut value.clone()));
    }
}

#[test]
fn any_json_takes_any_json() {
    #[derive(JsonSchema)]
    struct Anything {
        a: Value,
        b: Option<Value>,
        c: HashMap<String, Value>,
    }
    let validator = validator::<Anything>();
    for value in [
        json!(null),
        json!([[1, "a"], null]),
        json!({"x": {"y": [1.5]}}),
        json!("{\"a\":1}"),
        json!(1e300),
        json!(u64::MAX),
        json!(true),
    ] {
        assert_eq!(
            sentences(
                &validator,
                &json!({"a": value, "b": value, "c": {"k": value}})
            ),
            FITS,
            "{value}"
        );
        let mut same = json!({"a": value, "c": {"k": value}});
        assert!(!coerce(&validator, &mut same), "{value}");
    }
    assert_eq!(
        sentences(&validator, &json!({"c": {}})),
        [
            "missing required argument `a`: must be an object, an array, a string, a number, a boolean or null"
        ]
    );
}

#[test]
fn patterns_are_the_callers_and_never_ignored() {
    let schema =
        json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "^a"}}});
    let faults = Validator::new(&schema).unwrap_err();
    assert_eq!(
        faults.to_string(),
        "the schema at `/properties/a` needs a matcher for `pattern`, and none was given: give one, or drop the pattern"
    );
    let validator = Validator::with_patterns(&schema, |pattern| {
        assert_eq!(pattern, "^a");
        Ok(Box::new(|text| text.starts_with('a')))
    })
    .unwrap();
    assert!(validator.has_constraints());
    assert_eq!(sentences(&validator, &json!({"a": "abc"})), FITS);
    assert_eq!(
        sentences(&validator, &json!({"a": "bc"})),
        ["`/a` must be a string that matches ^a"]
    );
}

#[test]
fn keywords_that_cannot_be_checked_are_all_told() {
    let schema = json!({"type": "object", "properties": {
        "a": {"type": "strong"}, "b": {"not": {}}, "c": {"$ref": "#/$defs/Missing"}, "d": {"minLength": -1},
        "e": {"enum": "x"}, "f": {"required": [1]}, "g": 5, "h": {"multipleOf": 0}, "i": {"anyOf": []},
    }});
    let faults = Validator::new(&schema).unwrap_err();
    let pointers: Vec<_> = faults
        .0
        .iter()
        .map(|fault| fault.pointer.as_str())
        .collect();
    let expected: Vec<_> = ["a", "b", "c", "d", "e", "f", "g", "h", "i"]
        .map(|key| format!("/properties/{key}"))
        .into();
    assert_eq!(pointers, expected);
}

#[test]
fn constraints_of_types_alone_need_no_check() {
    let free = [
        json!({"type": "object", "properties": {}, "additionalProperties": false}),
        json!({"type": "object", "properties": {"a": {"type": "integer", "minimum": 0, "maximum": 255}, "b": {"type": "string", "enum": ["x"]}}}),
        json!({"type": "object", "properties": {"a": {"type": "integer", "minimum": 0}, "b": {"type": "array", "items": {"type": "integer"}}}}),
    ];
    for schema in free {
        assert!(!compiled(schema.clone()).has_constraints(), "{schema}");
    }
    let bound = [
        json!({"type": "object", "properties": {"a": {"type": "integer", "minimum": 1}}}),
        json!({"type": "object", "properties": {"a": {"type": "number", "minimum": 0}}}),
        json!({"type": "object", "properties": {"a": {"type": "string", "minLength": 1}}}),
        json!({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string"}, "uniqueItems": true}}}),
        json!({"type": "object", "properties": {"a": {"type": "object", "properties": {}, "additionalProperties": false}}}),
    ];
    for schema in bound {
        assert!(compiled(schema.clone()).has_constraints(), "{schema}");
    }
}

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Wide {
    #[serde(default)]
    count: u8,
    ids: Vec<i64>,
    ratio: f64,
    #[serde(default)]
    nested: Option<Box<Wide>>,
    #[serde(default)]
    shape: Option<Shape>,
    any: Option<Value>,
    map: HashMap<String, Option<i32>>,
}

#[test]
fn what_fits_the_schema_decodes_after_coercion() {
    let validator = validator::<Wide>();
    let mut arguments = parse(
        r#"{"count": null, "ids": [5.0, -0.0, 7], "ratio": 2, "map": {"a": 1.0, "b": null}, "any": 5.0,
            "nested": {"count": 3.0, "ids": [], "ratio": 1.0, "map": {}, "nested": null},
            "shape": {"kind": "Group", "parts": [{"kind": "Circle", "radius": 2.0, "label": null}]}}"#,
    );
    assert_eq!(sentences(&validator, &arguments), FITS);
    assert!(serde_json::from_value::<Wide>(arguments.clone()).is_err());
    assert!(coerce(&validator, &mut arguments));
    assert_eq!(
        arguments,
        parse(
            r#"{"ids": [5, 0, 7], "ratio": 2, "map": {"a": 1, "b": null}, "any": 5.0,
                "nested": {"count": 3, "ids": [], "ratio": 1.0, "map": {}},
                "shape": {"kind": "Group", "parts": [{"kind": "Circle", "radius": 2}]}}"#
        )
    );
    serde_json::from_value::<Wide>(arguments.clone()).unwrap();
    assert!(
        !coerce(&validator, &mut arguments),
        "a second time there is nothing left to do"
    );
}

fn json_values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (-300i32..300).prop_map(|n| Value::from(f64::from(n))),
        "[a-z]{0,3}".prop_map(Value::from),
        prop_oneof![Just("Circle"), Just("Box"), Just("Group")].prop_map(Value::from),
    ];
    let keys = prop_oneof![
        Just("count"),
        Just("ids"),
        Just("ratio"),
        Just("nested"),
        Just("shape"),
        Just("any"),
        Just("map"),
        Just("kind"),
        Just("radius"),
        Just("width"),
        Just("parts"),
        Just("label"),
        Just("a"),
    ];
    leaf.prop_recursive(5, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map(keys.clone().prop_map(str::to_owned), inner, 0..7)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Arguments that mostly fit.
fn wide() -> impl Strategy<Value = Value> {
    let count = prop_oneof![
        Just(Value::Null),
        (0u8..).prop_map(Value::from),
        (0u8..).prop_map(|n| f64::from(n).into())
    ];
    let ids = prop::collection::vec(
        prop_oneof![
            any::<i64>().prop_map(Value::from),
            (-9i32..9).prop_map(|n| f64::from(n).into())
        ],
        0..3,
    );
    (count, ids, json_values(), prop_oneof![Just(Value::Null), json_values()])
        .prop_map(|(count, ids, any, shape)| json!({"count": count, "ids": ids, "ratio": 1, "any": any, "shape": shape, "map": {}}))
}

proptest! {
    /// The promise of the dialect: what the validator takes, the decoder takes, and the other way round but for keys that
    /// the decoder would drop in silence.
    #[test]
    fn schema_and_decoder_agree(value in prop_oneof![json_values(), wide()]) {
        let validator = validator::<Wide>();
        let mut coerced = value.clone();
        match validator.validate(&value) {
            Ok(()) => {
                coerce(&validator, &mut coerced);
                prop_assert!(serde_json::from_value::<Wide>(coerced.clone()).is_ok(), "{}", coerced);
                prop_assert!(validator.is_valid(&coerced));
            }
            Err(violations) => {
                let unknown_only = violations.iter().all(|violation| violation.received == Received::UnknownKey);
                let positional = value.is_array() || value.to_string().contains('[');
                prop_assert!(
                    unknown_only || positional || serde_json::from_value::<Wide>(value.clone()).is_err(),
                    "{} {:?}", value, violations
                );
            }
        }
    }
}
