//! What a schema promises the parser accepts: values are made from the schemas that the server lists, and sent to it.

use mcp_tests::wire::Wire;
use serde_json::{Map, Value, json};

use crate::schemas;

/// A small generator of numbers: the same ones in each run.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self) -> u64 {
        // Steele and Vigna's SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.roll() % end as u64).unwrap()
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// Makes a value that a schema of the dialect allows.
struct Maker<'s> {
    root: &'s Value,
    dice: Dice,
}

impl Maker<'_> {
    fn value(&mut self, schema: &Value, depth: usize) -> Value {
        if let Some(reference) = schema["$ref"].as_str() {
            let target = self
                .root
                .pointer(reference.trim_start_matches('#'))
                .unwrap();
            return self.value(&target.clone(), depth + 1);
        }
        if let Some(choices) = schema["enum"].as_array() {
            return choices[self.dice.below(choices.len())].clone();
        }
        if let Some(choices) = schema["anyOf"].as_array() {
            let choice = choices[self.dice.below(choices.len())].clone();
            return self.value(&choice, depth);
        }
        match schema["type"].as_str() {
            Some("object") => self.object(schema, depth),
            Some("array") => self.array(schema, depth),
            Some("string") => self.string(schema),
            Some("integer") => self.integer(schema),
            Some("number") => json!([0.0, -1.5, 1e30, 3.0, 0.1][self.dice.below(5)]),
            Some("boolean") => json!(self.dice.chance(50)),
            Some("null") => Value::Null,
            Some(other) => panic!("the dialect has no type {other}"),
            None => self.anything(),
        }
    }

    fn object(&mut self, schema: &Value, depth: usize) -> Value {
        let none = Map::new();
        let properties = schema["properties"].as_object().unwrap_or(&none);
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let mut object = Map::new();
        for (name, property) in properties {
            let must = required.contains(&json!(name));
            if must || (depth < 6 && self.dice.chance(60)) {
                // What may be absent may be `null`, as models write it.
                let value = if !must && self.dice.chance(20) {
                    Value::Null
                } else {
                    self.value(property, depth + 1)
                };
                object.insert(name.clone(), value);
            }
        }
        if schema["additionalProperties"].is_object() && depth < 6 {
            for key in ["", "a/b~c", "é"] {
                if self.dice.chance(50) {
                    let value = self.value(&schema["additionalProperties"], depth + 1);
                    object.insert(key.to_owned(), value);
                }
            }
        }
        object.into()
    }

    fn array(&mut self, schema: &Value, depth: usize) -> Value {
        let least = schema["minItems"].as_u64().unwrap_or(0);
        let most = schema["maxItems"].as_u64().unwrap_or(least + 3);
        let most = if depth < 6 { most } else { least };
        let count = least + self.dice.roll() % (most - least + 1);
        (0..count)
            .map(|_| self.value(&schema["items"], depth + 1))
            .collect()
    }

    fn string(&mut self, schema: &Value) -> Value {
        let least = schema["minLength"].as_u64().unwrap_or(0);
        let most = schema["maxLength"].as_u64().unwrap_or(least + 8);
        let length = least + self.dice.roll() % (most - least + 1);
        let letters = ['a', 'é', '🎉', '"', '\\', '\n', '\u{0}', ' '];
        let text: String = (0..length).map(|_| letters[self.dice.below(8)]).collect();
        text.into()
    }

    fn integer(&mut self, schema: &Value) -> Value {
        let bounds: Vec<Value> = ["minimum", "maximum"]
            .into_iter()
            .filter_map(|bound| schema.get(bound).cloned())
            .collect();
        match self.dice.below(4) {
            0 if !bounds.is_empty() => bounds[self.dice.below(bounds.len())].clone(),
            // A whole number may be written with a fraction.
            1 => json!(2.0),
            _ => json!(1 + self.dice.below(4)),
        }
    }

    fn anything(&mut self) -> Value {
        let values =
            json!([null, true, 7, -0.5, "text", "{\"a\":1}", [1, [null]], {"a": {"b": []}}]);
        values[self.dice.below(8)].clone()
    }
}

#[tokio::test]
async fn whatever_a_schema_allows_is_accepted() {
    let tools = schemas::listed().await;
    let mut wire: Wire = schemas::open_all();
    for (name, (schema, _)) in &tools {
        // The one cannot be called without a person; an enum at the root is listed as one flat object, which says
        // less than is checked.
        if name == "asks" || name == "whole_shape" {
            continue;
        }
        let mut maker = Maker {
            root: schema,
            dice: Dice(42),
        };
        for _ in 0..150 {
            let arguments = maker.value(schema, 0);
            let answer = wire.call(name, arguments.clone()).await;
            assert_eq!(
                answer["result"].get("isError"),
                None,
                "{name} listed {schema:#}\nand refused {arguments:#}\n{answer:#}"
            );
        }
    }
}

/// The other way round: what another validator finds outside of the schema is refused.
#[tokio::test]
async fn whatever_a_schema_forbids_is_refused() {
    let tools = schemas::listed().await;
    let mut wire: Wire = schemas::open_all();
    let wrong = json!([null, true, 7, -0.5, "text", [], {}, 1e300, [1], {"a": 1}]);
    let mut refused = 0;
    for (name, (schema, _)) in &tools {
        if name == "asks" {
            continue;
        }
        let validator = jsonschema::validator_for(schema).unwrap();
        let mut maker = Maker {
            root: schema,
            dice: Dice(7),
        };
        for _ in 0..100 {
            let mut arguments = maker.value(schema, 0);
            let Some(members) = arguments
                .as_object_mut()
                .filter(|members| !members.is_empty())
            else {
                continue;
            };
            let at = maker.dice.below(members.len());
            let key = members.keys().nth(at).unwrap().clone();
            let value = wrong[maker.dice.below(10)].clone();
            // `null` is absent: more than the schema says, and on purpose.
            members.retain(|_, value| !value.is_null());
            members.insert(key, value.clone());
            if value.is_null() || validator.is_valid(&arguments) {
                continue;
            }
            let answer = wire.call(name, arguments.clone()).await;
            let accepted = answer["result"].get("isError").is_none();
            if accepted {
                // Deeper down `null` may stand for what is absent as well.
                assert!(
                    arguments.to_string().contains("null"),
                    "{name} listed {schema:#}\nand accepted {arguments:#}"
                );
            } else {
                refused += 1;
            }
        }
    }
    assert!(refused > 100, "{refused}");
}
