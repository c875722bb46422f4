//! Lists, tuples, objects and maps.

use serde_json::Value;

use super::Keywords;
use super::convert::{Converter, Null};
use super::keywords::{any_json, applicable, describe, has_any};
use crate::schema::object::{set, take};
use crate::text::joined;

/// How an object treats members that it does not name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Closing {
    Nested,
    ClosedRoot,
    OpenRoot,
}

impl Converter<'_> {
    pub(super) fn array(&mut self, mut keywords: Keywords) -> Value {
        if let Some(Value::Array(members)) = take(&mut keywords, "prefixItems") {
            self.tuple(&mut keywords, members);
        } else {
            let items = match take(&mut keywords, "items") {
                Some(items) => self.convert_part(&["items"], items, Null::IsValue),
                None => any_json(Keywords::new()),
            };
            set(&mut keywords, "items", items);
            self.constrained_by(&keywords, &["minItems", "maxItems", "uniqueItems"]);
        }
        self.finish(keywords, applicable("array"))
    }

    fn tuple(&mut self, keywords: &mut Keywords, members: Vec<Value>) {
        let mut converted = Vec::new();
        let mut kinds = Vec::new();
        for (i, member) in members.into_iter().enumerate() {
            let steps = ["prefixItems", &i.to_string()];
            let member = self.convert_part(&steps, member, Null::IsValue);
            kinds.push(kind_of(&member));
            if !converted.contains(&member) {
                converted.push(member);
            }
        }
        let items = match converted.len() {
            1 => converted.remove(0),
            _ => {
                let kinds = joined(&kinds, ", ");
                describe(keywords, &format!("In this order: {kinds}."));
                let mut any = Keywords::new();
                set(&mut any, "anyOf", converted);
                Value::Object(any)
            }
        };
        set(keywords, "items", items);
    }

    pub(super) fn object(&mut self, mut keywords: Keywords, closing: Closing) -> Value {
        // `type: object` and no more is how types with a schema of their own say "any object".
        if closing == Closing::Nested
            && !has_any(&keywords, |keyword| {
                matches!(
                    keyword,
                    "properties" | "patternProperties" | "additionalProperties"
                )
            })
        {
            set(&mut keywords, "additionalProperties", true);
        }
        let mut required = match keywords.get_mut("required").map(Value::take) {
            Some(Value::Array(names)) => names,
            _ => Vec::new(),
        };
        let mut properties = match keywords.get_mut("properties").map(Value::take) {
            Some(Value::Object(properties)) => properties,
            _ => Keywords::new(),
        };
        for (name, schema) in &mut properties {
            let null = if required.iter().any(|required| required == name) {
                Null::IsValue
            } else {
                Null::IsAbsence
            };
            *schema = self.convert_part(&["properties", name], schema.take(), null);
        }
        let closed_by_type = take(&mut keywords, "unevaluatedProperties")
            == Some(Value::Bool(false))
            || keywords.get("additionalProperties") == Some(&Value::Bool(false));
        let additional = self.additional(&mut keywords, closing);
        if additional == Value::Bool(false) && !closed_by_type && closing == Closing::Nested {
            self.has_constraints = true;
        }
        required.retain(|name| {
            name.as_str()
                .is_some_and(|name| properties.contains_key(name))
        });
        if required.is_empty() {
            take(&mut keywords, "required");
        } else {
            set(&mut keywords, "required", required);
        }
        // A map has no members of its own; everything else has them, if none.
        if !properties.is_empty() || additional == Value::Bool(false) || closing != Closing::Nested
        {
            set(&mut keywords, "properties", properties);
        } else {
            take(&mut keywords, "properties");
        }
        set(&mut keywords, "additionalProperties", additional);
        self.constrained_by(&keywords, &["minProperties", "maxProperties"]);
        self.finish(keywords, applicable("object"))
    }

    fn additional(&mut self, keywords: &mut Keywords, closing: Closing) -> Value {
        let given = take(keywords, "additionalProperties");
        let patterns = match take(keywords, "patternProperties") {
            Some(Value::Object(patterns)) => patterns,
            _ => Keywords::new(),
        };
        // A map whose keys are numbers: decoding checks the keys.
        if patterns.len() > 1 {
            return self.fault("has `patternProperties`, which hosts do not know: use a map with one type of value");
        }
        if let Some((pattern, schema)) = patterns.into_iter().next() {
            let kind = if pattern.as_bytes().windows(2).any(|two| two == b"\\d") {
                "Keys are integers.".to_owned()
            } else {
                format!("Keys match {pattern}.")
            };
            describe(keywords, &kind);
            return self.additional_values(schema);
        }
        match given {
            Some(Value::Bool(true)) => Value::Bool(true),
            None | Some(Value::Bool(false)) => Value::Bool(closing == Closing::OpenRoot),
            Some(schema) => self.additional_values(schema),
        }
    }

    fn additional_values(&mut self, schema: Value) -> Value {
        if schema.is_boolean() {
            return schema;
        }
        self.convert_part(&["additionalProperties"], schema, Null::IsValue)
    }
}

fn kind_of(schema: &Value) -> String {
    let words = schema
        .get("description")
        .or_else(|| schema.get("type"))
        .and_then(Value::as_str);
    words.unwrap_or("value").trim_end_matches('.').to_owned()
}
