//! Lists, tuples, objects and maps.

use serde_json::{Value, json};

use super::Keywords;
use super::convert::{Converter, Null};
use super::keywords::{any_json, applicable, describe, names};

/// How an object treats members that it does not name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Closing {
    Nested,
    ClosedRoot,
    OpenRoot,
}

impl Converter<'_> {
    pub(super) fn array(&mut self, mut keywords: Keywords, at: &str) -> Value {
        if let Some(Value::Array(members)) = keywords.remove("prefixItems") {
            self.tuple(&mut keywords, &members, at);
        } else {
            let items = match keywords.remove("items") {
                Some(items) => self.convert(&items, &format!("{at}/items"), Null::IsValue),
                None => any_json(Keywords::new()),
            };
            keywords.insert("items".to_owned(), items);
            self.constrained_by(&keywords, &["minItems", "maxItems", "uniqueItems"]);
        }
        self.finish(keywords, at, applicable("array"))
    }

    fn tuple(&mut self, keywords: &mut Keywords, members: &[Value], at: &str) {
        let mut converted = Vec::new();
        let mut kinds = Vec::new();
        for (i, member) in members.iter().enumerate() {
            let member = self.convert(member, &format!("{at}/prefixItems/{i}"), Null::IsValue);
            kinds.push(kind_of(&member));
            if !converted.contains(&member) {
                converted.push(member);
            }
        }
        let items = match converted.len() {
            1 => converted.remove(0),
            _ => {
                describe(keywords, &format!("In this order: {}.", kinds.join(", ")));
                json!({"anyOf": converted})
            }
        };
        keywords.insert("items".to_owned(), items);
    }

    pub(super) fn object(&mut self, mut keywords: Keywords, at: &str, closing: Closing) -> Value {
        let required: Vec<String> = names(keywords.get("required"));
        let mut properties = Keywords::new();
        // `type: object` and no more is how types with a schema of their own say "any object".
        if closing == Closing::Nested
            && !keywords.contains_key("properties")
            && !keywords.contains_key("patternProperties")
        {
            keywords
                .entry("additionalProperties")
                .or_insert(Value::Bool(true));
        }
        if let Some(Value::Object(given)) = keywords.remove("properties") {
            for (name, schema) in given {
                let null = if required.contains(&name) {
                    Null::IsValue
                } else {
                    Null::IsAbsence
                };
                let at = format!(
                    "{at}/properties/{}",
                    name.replace('~', "~0").replace('/', "~1")
                );
                properties.insert(name, self.convert(&schema, &at, null));
            }
        }
        let closed_by_type = keywords.remove("unevaluatedProperties") == Some(Value::Bool(false))
            || keywords.get("additionalProperties") == Some(&Value::Bool(false));
        let additional = self.additional(&mut keywords, at, closing);
        if additional == Value::Bool(false) && !closed_by_type && closing == Closing::Nested {
            self.has_constraints = true;
        }
        let required: Vec<String> = required
            .into_iter()
            .filter(|name| properties.contains_key(name))
            .collect();
        if required.is_empty() {
            keywords.remove("required");
        } else {
            keywords.insert("required".to_owned(), required.into());
        }
        // A map has no members of its own; everything else has them, if none.
        if !properties.is_empty() || additional == Value::Bool(false) || closing != Closing::Nested
        {
            keywords.insert("properties".to_owned(), properties.into());
        }
        keywords.insert("additionalProperties".to_owned(), additional);
        self.constrained_by(&keywords, &["minProperties", "maxProperties"]);
        self.finish(keywords, at, applicable("object"))
    }

    fn additional(&mut self, keywords: &mut Keywords, at: &str, closing: Closing) -> Value {
        let given = keywords.remove("additionalProperties");
        let patterns = match keywords.remove("patternProperties") {
            Some(Value::Object(patterns)) => patterns,
            _ => Keywords::new(),
        };
        // A map whose keys are numbers: decoding checks the keys.
        if let Some((pattern, schema)) = patterns.iter().next() {
            if patterns.len() > 1 {
                return self.fault(at, "has `patternProperties`, which hosts do not know: use a map with one type of value");
            }
            let kind = if pattern.contains("\\d") {
                "Keys are integers.".to_owned()
            } else {
                format!("Keys match {pattern}.")
            };
            describe(keywords, &kind);
            return self.additional_values(schema, at);
        }
        match given {
            Some(Value::Bool(true)) => Value::Bool(true),
            None | Some(Value::Bool(false)) => Value::Bool(closing == Closing::OpenRoot),
            Some(schema) => self.additional_values(&schema, at),
        }
    }

    fn additional_values(&mut self, schema: &Value, at: &str) -> Value {
        if let Value::Bool(any) = schema {
            return Value::Bool(*any);
        }
        self.convert(schema, &format!("{at}/additionalProperties"), Null::IsValue)
    }
}

fn kind_of(schema: &Value) -> String {
    let words = schema
        .get("description")
        .or_else(|| schema.get("type"))
        .and_then(Value::as_str);
    words.unwrap_or("value").trim_end_matches('.').to_owned()
}
