//! Forms against the specification's shapes, derived structs and answers as people give them.

#![allow(clippy::unwrap_used)]

use schemars::{JsonSchema, schema_for};
use serde_json::{Value, json};

use super::{FieldKind, FormSchema, Options, StringFormat};

fn derived<T: JsonSchema>() -> Result<FormSchema, Vec<String>> {
    FormSchema::from_json_schema(schema_for!(T).as_value())
        .map_err(|faults| faults.iter().map(ToString::to_string).collect())
}

fn violations(form: &FormSchema, answer: &Value) -> Vec<String> {
    match form.validate_value(answer) {
        Ok(()) => Vec::new(),
        Err(violations) => violations.iter().map(ToString::to_string).collect(),
    }
}

mod wire {
    use super::*;

    /// The field shapes of the specification's page on elicitation, and the legacy one of its schema.
    fn official_fields() -> Value {
        json!({
            "text": {"type": "string", "title": "Display Name", "description": "Description text",
                "minLength": 3, "maxLength": 50, "format": "email", "default": "user@example.com"},
            "number": {"type": "number", "title": "Display Name", "description": "Description text",
                "minimum": 0, "maximum": 100, "default": 50},
            "whole": {"type": "integer", "minimum": -5},
            "yes": {"type": "boolean", "title": "Display Name", "description": "Description text", "default": false},
            "untitled": {"type": "string", "title": "Color Selection", "description": "Choose your favorite color",
                "enum": ["Red", "Green", "Blue"], "default": "Red"},
            "titled": {"type": "string", "title": "Color Selection", "description": "Choose your favorite color",
                "oneOf": [{"const": "#FF0000", "title": "Red"}, {"const": "#00FF00", "title": "Green"}],
                "default": "#FF0000"},
            "several": {"type": "array", "title": "Color Selection", "description": "Choose your favorite colors",
                "minItems": 1, "maxItems": 2, "items": {"type": "string", "enum": ["Red", "Green", "Blue"]},
                "default": ["Red", "Green"]},
            "several_titled": {"type": "array", "title": "Color Selection", "minItems": 1, "maxItems": 2,
                "items": {"anyOf": [{"const": "#FF0000", "title": "Red"}, {"const": "#00FF00", "title": "Green"}]},
                "default": ["#FF0000", "#00FF00"]},
            "legacy": {"type": "string", "enum": ["r", "g"], "enumNames": ["Red", "Green"], "default": "g"},
        })
    }

    #[test]
    fn official_shapes_round_trip() {
        let schema =
            json!({"type": "object", "properties": official_fields(), "required": ["yes", "text"]});
        let form: FormSchema = serde_json::from_value(schema.clone()).unwrap();
        assert_eq!(form.fields.len(), 9);
        assert_eq!(form.faults(), []);
        assert_eq!(serde_json::to_value(&form).unwrap(), schema);
    }

    #[test]
    fn fields_keep_their_order() {
        let text = r#"{"type":"object","properties":{"zeta":{"type":"string"},"alpha":{"type":"boolean"},"mid":{"type":"integer"}},"required":["zeta","alpha"]}"#;
        let form: FormSchema = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&form).unwrap(), text);
    }

    #[test]
    fn the_dialect_is_read_and_never_written() {
        let read: FormSchema = serde_json::from_value(json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": {"a": {"type": "string", "format": "uuid", "x-widget": "wide"}},
            "additionalProperties": false,
        }))
        .unwrap();
        let written = serde_json::to_value(&read).unwrap();
        assert_eq!(
            written,
            json!({"type": "object", "properties": {"a": {"type": "string"}}})
        );
    }

    /// What pydantic writes for `note: str | None = Field(default=None, max_length=200)`.
    #[test]
    fn fields_that_may_be_null_are_read_as_such_that_may_be_left_out() {
        let read: FormSchema = serde_json::from_value(json!({
            "type": "object",
            "properties": {
                "note": {
                    "anyOf": [{"type": "string", "maxLength": 200}, {"type": "null"}],
                    "default": null,
                    "title": "Note",
                },
                "either": {"type": "boolean", "anyOf": [{"type": "null"}]},
            },
        }))
        .unwrap();
        assert_eq!(
            serde_json::to_value(&read).unwrap()["properties"],
            json!({
                "note": {"type": "string", "maxLength": 200, "title": "Note"},
                "either": {"type": "boolean"},
            })
        );
        let two = json!({"type": "object", "properties": {
            "a": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        }});
        let error = serde_json::from_value::<FormSchema>(two).unwrap_err();
        assert!(error.to_string().contains("`a` has no `type`"), "{error}");
    }

    #[test]
    fn exact_integers_survive() {
        let text = r#"{"type":"object","properties":{"n":{"type":"integer","minimum":-9223372036854775808,"maximum":18446744073709551615,"default":9007199254740993}}}"#;
        let form: FormSchema = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&form).unwrap(), text);
    }

    #[test]
    fn shapes_outside_the_restriction_are_refused() {
        let cases = [
            (json!({"type": "string", "properties": {}}), "`object`"),
            (
                json!({"type": "object", "properties": {"a": {"type": "object"}}}),
                "`a` has the type `object`",
            ),
            (
                json!({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string"}}}}),
                "`a` is a list",
            ),
            (
                json!({"type": "object", "properties": {"a": {}}}),
                "`a` has no `type`",
            ),
            (
                json!({"type": "object", "properties": {"a": {"type": "boolean", "default": "yes"}}}),
                "`a` has a default",
            ),
            (
                json!({"type": "object", "properties": {"a": {"type": "integer", "enum": ["x"]}}}),
                "`a` mixes",
            ),
        ];
        for (schema, expected) in cases {
            let error = serde_json::from_value::<FormSchema>(schema)
                .unwrap_err()
                .to_string();
            assert!(error.contains(expected), "{error}");
        }
        let twice =
            r#"{"type":"object","properties":{"a":{"type":"string"},"a":{"type":"boolean"}}}"#;
        let error = serde_json::from_str::<FormSchema>(twice)
            .unwrap_err()
            .to_string();
        assert!(error.contains("`a` is declared twice"), "{error}");
    }

    #[test]
    fn a_peers_form_takes_no_longer_than_it_is_long() {
        let (mut properties, mut required) = (Vec::new(), Vec::new());
        for i in 0..50_000 {
            properties.push(format!(r#""f{i}":{{"type":"boolean"}}"#));
            required.push(format!("\"f{i}\""));
        }
        let (properties, required) = (properties.join(","), required.join(","));
        let json =
            format!(r#"{{"type":"object","properties":{{{properties}}},"required":[{required}]}}"#);
        let begin = std::time::Instant::now();
        let form: FormSchema = serde_json::from_str(&json).unwrap();
        assert_eq!(form.validate_value(&Value::Null).unwrap_err().len(), 50_000);
        assert_eq!(form.faults(), []);
        let took = begin.elapsed();
        assert!(took < std::time::Duration::from_secs(4), "{took:?}");
    }

    #[test]
    fn a_handmade_form_has_the_official_shape() {
        let form = FormSchema::new()
            .string("name", |f| f.description("Your full name").min_length(1))
            .string("email", |f| f.format(StringFormat::Email).title("E-mail"))
            .integer("age", |f| f.minimum(18).optional())
            .number("share", |f| f.maximum(100).default(50).optional())
            .boolean("release", |f| f)
            .choice("color", [("#f00", "Red"), ("#0f0", "Green")], |f| {
                f.default("#f00")
            })
            .multi_choice("sizes", ["S", "M"], |f| {
                f.min_items(1).max_items(2).default(["S"])
            });
        assert_eq!(form.faults(), []);
        assert_eq!(
            serde_json::to_value(&form).unwrap(),
            json!({
                "type": "object",
                "properties": {
                    "name": {"type": "string", "description": "Your full name", "minLength": 1},
                    "email": {"type": "string", "title": "E-mail", "format": "email"},
                    "age": {"type": "integer", "minimum": 18},
                    "share": {"type": "number", "maximum": 100, "default": 50},
                    "release": {"type": "boolean"},
                    "color": {"type": "string", "default": "#f00",
                        "oneOf": [{"const": "#f00", "title": "Red"}, {"const": "#0f0", "title": "Green"}]},
                    "sizes": {"type": "array", "minItems": 1, "maxItems": 2, "default": ["S"],
                        "items": {"type": "string", "enum": ["S", "M"]}},
                },
                "required": ["name", "email", "release", "color", "sizes"],
            })
        );
    }

    #[test]
    fn an_empty_form_still_has_properties() {
        let form = serde_json::to_value(FormSchema::new()).unwrap();
        assert_eq!(form, json!({"type": "object", "properties": {}}));
    }
}

mod answers {
    use super::*;

    fn form() -> FormSchema {
        FormSchema::new()
            .string("name", |f| f.min_length(2).max_length(4))
            .integer("age", |f| f.minimum(18).maximum(130))
            .boolean("agreed", |f| f)
            .choice("color", ["Red", "Green"], |f| f.optional())
            .multi_choice("colors", ["Red", "Green", "Blue"], |f| {
                f.min_items(1).max_items(2).optional()
            })
            .string("email", |f| f.format(StringFormat::Email).optional())
    }

    #[test]
    fn a_fitting_answer_passes() {
        let answer = json!({"name": "Ann", "age": 18.0, "agreed": false, "color": "Red", "colors": ["Red", "Blue"],
            "email": null, "unknown": {"ignored": true}});
        assert_eq!(violations(&form(), &answer), [""; 0]);
    }

    #[test]
    fn every_misfit_is_named_with_its_constraint() {
        let answer = json!({"name": "S", "age": 17, "agreed": "true", "color": "Mauve", "colors": ["Red", "Mauve"], "email": "s3cret"});
        assert_eq!(
            violations(&form(), &answer),
            [
                "`name` must have at least 2 characters",
                "`age` must be at least 18",
                "`agreed` must be true or false",
                "`color` must be one of \"Red\", \"Green\"",
                "`colors` must contain nothing but \"Red\", \"Green\", \"Blue\"",
                "`email` must be an e-mail address such as name@example.com",
            ]
        );
    }

    #[test]
    fn values_are_never_repeated() {
        let answer = json!({"name": "hunter2hunter2", "age": 777_777, "agreed": "hunter2", "color": "hunter2", "colors": ["hunter2"], "email": "hunter2"});
        for violation in violations(&form(), &answer) {
            assert!(
                !violation.contains("hunter2") && !violation.contains("777"),
                "{violation}"
            );
        }
    }

    #[test]
    fn missing_and_null_required_fields_are_named() {
        let expected = [
            "`name` is required",
            "`age` is required",
            "`agreed` is required",
        ];
        assert_eq!(violations(&form(), &json!({})), expected);
        assert_eq!(violations(&form(), &Value::Null), expected);
        assert_eq!(
            violations(&form(), &json!({"name": null, "age": null, "agreed": null})),
            expected
        );
    }

    #[test]
    fn no_object_is_one_violation() {
        for answer in [json!([]), json!("x"), json!(5), json!(true)] {
            assert_eq!(
                violations(&form(), &answer),
                ["the answer must be an object with one member for each field"]
            );
        }
    }

    #[test]
    fn text_is_never_taken_for_a_number() {
        let form = FormSchema::new()
            .integer("n", |f| f)
            .number("x", |f| f)
            .string("s", |f| f);
        assert_eq!(
            violations(&form, &json!({"n": "3", "x": "1.5", "s": 3})),
            [
                "`n` must be a whole number",
                "`x` must be a number",
                "`s` must be text"
            ]
        );
    }

    #[test]
    fn lengths_count_code_points() {
        assert_eq!(
            violations(
                &form(),
                &json!({"name": "🎉é🎉é", "age": 20, "agreed": true})
            ),
            [""; 0]
        );
        let long = violations(
            &form(),
            &json!({"name": "🎉é🎉éx", "age": 20, "agreed": true}),
        );
        assert_eq!(long, ["`name` must have at most 4 characters"]);
        let required_but_empty = FormSchema::new().string("s", |f| f.min_length(1));
        assert_eq!(
            violations(&required_but_empty, &json!({"s": ""})),
            ["`s` must have at least 1 character"]
        );
        assert_eq!(
            violations(&FormSchema::new().string("s", |f| f), &json!({"s": ""})),
            [""; 0]
        );
    }

    #[test]
    fn whole_numbers_are_exact() {
        let form = FormSchema::new().integer("n", |f| f.maximum(9_007_199_254_740_992_u64));
        let check = |text: &str| violations(&form, &serde_json::from_str(text).unwrap());
        assert_eq!(check(r#"{"n": 5.0}"#), [""; 0]);
        assert_eq!(check(r#"{"n": 9007199254740992}"#), [""; 0]);
        assert_eq!(
            check(r#"{"n": 9007199254740993}"#),
            ["`n` must be at most 9007199254740992"]
        );
        assert_eq!(
            check(r#"{"n": 5.5}"#),
            ["`n` must be a whole number of at most 64 bits"]
        );
        assert_eq!(
            check(r#"{"n": 18446744073709551616}"#),
            ["`n` must be a whole number of at most 64 bits"]
        );
    }

    #[test]
    fn numbers_of_choices_are_bounded() {
        let check = |colors: Value| {
            violations(
                &form(),
                &json!({"name": "Ann", "age": 20, "agreed": true, "colors": colors}),
            )
        };
        assert_eq!(
            check(json!([])),
            ["`colors` must contain at least 1 choice"]
        );
        assert_eq!(
            check(json!(["Red", "Green", "Blue"])),
            ["`colors` must contain at most 2 choices"]
        );
        assert_eq!(
            check(json!("Red")),
            ["`colors` must be a list of any of \"Red\", \"Green\", \"Blue\""]
        );
    }
}

mod faults {
    use super::*;

    #[test]
    fn a_form_that_cannot_be_answered_says_why() {
        let form = FormSchema::new()
            .string("a", |f| f.min_length(5).max_length(2))
            .string("a", |f| f)
            .integer("n", |f| f.minimum(10).maximum(1))
            .choice("c", [""; 0], |f| f)
            .choice("d", ["x", "x"], |f| f.default("y"))
            .multi_choice("m", ["x"], |f| f.default(["x", "z"]));
        let faults: Vec<_> = form.faults().iter().map(ToString::to_string).collect();
        assert_eq!(
            faults,
            [
                "form field `a` has a lower bound above its upper bound, so nothing fits: change one of them",
                "form field `a` is declared twice: rename one of the two",
                "form field `n` has a lower bound above its upper bound, so nothing fits: change one of them",
                "form field `c` offers nothing to choose from: add an option",
                "form field `d` offers `x` twice: remove one of the two",
                "form field `d` has a default that the form refuses: it must be one of \"x\", \"x\"",
                "form field `m` has a default that the form refuses: it must contain nothing but \"x\"",
            ]
        );
        let mut form = FormSchema::new();
        form.required.push("ghost".to_owned());
        assert_eq!(
            form.faults()[0].to_string(),
            "form field `ghost` is required but not declared: add it or drop it from `required`"
        );
    }
}

mod derive {
    use std::collections::HashMap;

    use super::*;

    #[derive(JsonSchema)]
    #[expect(dead_code)]
    enum Color {
        Red,
        #[serde(rename = "green")]
        Green,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code)]
    enum Speed {
        /// Two days.
        #[schemars(title = "Fast")]
        Express,
        #[schemars(title = "Normal")]
        Standard,
    }

    /// Not part of the form.
    #[derive(JsonSchema)]
    #[expect(dead_code)]
    struct Everything {
        /// Your name.
        #[schemars(length(min = 1, max = 20))]
        name: String,
        #[schemars(email, title = "E-mail")]
        email: String,
        site: Option<String>,
        small: u8,
        medium: Option<u32>,
        large: u64,
        signed: i64,
        signed_small: i16,
        #[schemars(extend("exclusiveMinimum" = 2))]
        above: i32,
        #[schemars(range(min = 1, max = 1000))]
        ranged: u8,
        share: f32,
        #[serde(default = "yes")]
        agreed: bool,
        color: Color,
        maybe: Option<Color>,
        /// How fast?
        speed: Speed,
        #[schemars(length(min = 1, max = 2))]
        colors: Vec<Color>,
        speeds: Option<Vec<Speed>>,
        #[serde(default)]
        optional: Option<String>,
        letter: char,
    }

    fn yes() -> bool {
        true
    }

    #[test]
    fn flat_structs_become_flat_forms() {
        let form = derived::<Everything>().unwrap();
        assert_eq!(
            serde_json::to_value(&form).unwrap(),
            json!({
                "type": "object",
                "properties": {
                    "name": {"type": "string", "description": "Your name.", "minLength": 1, "maxLength": 20},
                    "email": {"type": "string", "title": "E-mail", "format": "email"},
                    "site": {"type": "string"},
                    "small": {"type": "integer", "minimum": 0, "maximum": 255},
                    "medium": {"type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32},
                    "large": {"type": "integer", "minimum": 0},
                    "signed": {"type": "integer"},
                    "signed_small": {"type": "integer", "minimum": -32768, "maximum": 32767},
                    "above": {"type": "integer", "minimum": 3, "maximum": 2_147_483_647},
                    "ranged": {"type": "integer", "minimum": 1, "maximum": 255},
                    "share": {"type": "number"},
                    "agreed": {"type": "boolean", "default": true},
                    "color": {"type": "string", "enum": ["Red", "green"]},
                    "maybe": {"type": "string", "enum": ["Red", "green"]},
                    "speed": {"type": "string", "description": "How fast?\nExpress: Two days.",
                        "oneOf": [{"const": "Express", "title": "Fast"}, {"const": "Standard", "title": "Normal"}]},
                    "colors": {"type": "array", "minItems": 1, "maxItems": 2,
                        "items": {"type": "string", "enum": ["Red", "green"]}},
                    "speeds": {"type": "array", "description": "Express: Two days.",
                        "items": {"anyOf": [{"const": "Express", "title": "Fast"}, {"const": "Standard", "title": "Normal"}]}},
                    "optional": {"type": "string"},
                    "letter": {"type": "string", "minLength": 1, "maxLength": 1},
                },
                "required": ["name", "email", "small", "large", "signed", "signed_small", "above", "ranged",
                    "share", "color", "speed", "colors", "letter"],
            })
        );
    }

    #[test]
    fn the_declared_order_can_be_restored() {
        let form = derived::<Everything>()
            .unwrap()
            .in_order(&["speed", "name", "agreed"]);
        let names: Vec<_> = form
            .fields
            .iter()
            .map(|field| field.name.as_str())
            .take(4)
            .collect();
        assert_eq!(&names[..3], ["speed", "name", "agreed"]);
        assert_eq!(&form.required[..2], ["speed", "name"]);
    }

    #[test]
    fn titles_can_be_given_later() {
        let mut form = derived::<Everything>().unwrap();
        let field = form.field_mut("color").unwrap();
        field.kind = field
            .kind
            .clone()
            .with_titles(&[("green", "Green as grass")]);
        let FieldKind::Choice(choice) = &form.field("color").unwrap().kind else {
            panic!("a choice stays a choice");
        };
        assert!(matches!(choice.options, Options::Titled(_)));
        assert_eq!(choice.options.title_of("green"), Some("Green as grass"));
        assert_eq!(choice.options.title_of("Red"), Some("Red"));
        assert_eq!(choice.options.title_of("blue"), None);
    }

    #[derive(JsonSchema)]
    #[expect(dead_code)]
    struct Nested {
        x: u8,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code)]
    enum Data {
        Empty,
        Full { x: u8 },
    }

    #[derive(JsonSchema)]
    #[expect(dead_code)]
    struct Crooked {
        any: Value,
        data: Data,
        list: Vec<String>,
        map: HashMap<String, String>,
        nested: Option<Nested>,
        #[schemars(regex(pattern = "^a"))]
        pattern: String,
        #[schemars(extend("format" = "uuid"))]
        uuid: String,
        #[schemars(extend("exclusiveMinimum" = 0))]
        fraction: f64,
        nothing: (),
        fine: String,
    }

    fn nine() -> u8 {
        9
    }

    #[test]
    fn every_field_that_is_not_flat_is_named_with_a_way_out() {
        let mut faults = derived::<Crooked>().unwrap_err();
        faults.sort();
        let expected = [
            ("any", "can hold any JSON", "give it a type"),
            ("data", "enum with data", "second question"),
            ("fraction", "excludes its bound", "inclusive range"),
            ("list", "is a list", "enum without data"),
            ("map", "is a map", "one field for each key"),
            ("nested", "nested struct", "declare its fields here"),
            ("nothing", "holds nothing", "remove it"),
            ("pattern", "has a pattern", "check it in the tool"),
            ("uuid", "format `uuid`", "plain text"),
        ];
        assert_eq!(faults.len(), expected.len(), "{faults:#?}");
        for (fault, (field, problem, way_out)) in faults.iter().zip(expected) {
            assert!(
                fault.starts_with(&format!("form field `{field}` ")),
                "{fault}"
            );
            assert!(
                fault.contains(problem) && fault.contains(way_out),
                "{fault}"
            );
        }
    }

    #[derive(JsonSchema)]
    #[expect(dead_code)]
    struct Preset {
        #[serde(default = "nine")]
        #[schemars(range(max = 5))]
        preset: u8,
    }

    #[test]
    fn a_default_outside_the_bounds_is_a_fault() {
        assert_eq!(
            derived::<Preset>().unwrap_err(),
            ["form field `preset` has a default that the form refuses: it must be at most 5"]
        );
    }

    #[derive(JsonSchema)]
    #[serde(tag = "kind")]
    #[expect(dead_code)]
    enum Tagged {
        A { x: u8 },
        B,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code)]
    struct Collecting {
        a: u8,
        #[serde(flatten)]
        rest: HashMap<String, String>,
    }

    #[test]
    fn roots_must_be_plain_structs() {
        assert!(derived::<Tagged>().unwrap_err()[0].starts_with("the form is an enum with data"));
        assert!(derived::<String>().unwrap_err()[0].starts_with("the form is no struct"));
        assert!(derived::<Vec<Color>>().unwrap_err()[0].starts_with("the form is no struct"));
        assert!(derived::<Collecting>().unwrap_err()[0].starts_with("the form collects keys"));
        assert!(derived::<Value>().unwrap_err()[0].starts_with("the form is no struct"));
    }

    #[test]
    fn references_in_a_ring_end() {
        let option = json!([{"$ref": "#/$defs/A"}, {"type": "null"}]);
        for ring in [
            json!({"$ref": "#/$defs/A"}),
            json!({"anyOf": option}),
            json!({"oneOf": option, "type": "string"}),
            json!({"title": "A", "allOf": [], "anyOf": [{"type": "null"}, {"anyOf": option}]}),
        ] {
            let form = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": ring}});
            let faults = FormSchema::from_json_schema(&form).unwrap_err();
            assert_eq!(
                faults[0].to_string(),
                "form field `a` refers to itself: forms are flat"
            );
        }
    }

    #[test]
    fn options_of_options_are_one() {
        let mut schema = json!({"type": ["string", "null"], "maxLength": 3});
        for _ in 0..8 {
            schema = json!({"anyOf": [{"type": "null"}, schema]});
        }
        schema["description"] = json!("d");
        let form = json!({"type": "object", "properties": {"a": schema}, "required": ["a"]});
        assert_eq!(
            serde_json::to_value(FormSchema::from_json_schema(&form).unwrap()).unwrap(),
            json!({"type": "object", "properties": {"a": {"type": "string", "maxLength": 3, "description": "d"}}})
        );
    }
}
