//! Enums: plain values, and alternatives that a tag tells apart.

use std::slice;

use serde_json::Value;

use super::Keywords;
use super::containers::Closing;
use super::convert::Converter;
use super::keywords::{annotations, describe, describe_variant, has_any};
use super::resolve::merge;
use crate::schema::numbers;
use crate::schema::object::{keep, list, nested, set, take, text, values};
use crate::text::joined;

const EXTERNAL: &str = "is an enum whose variants are keys of an object, which models confuse: add `#[serde(tag = \"kind\")]` to the enum";
const UNTAGGED: &str = "offers several shapes and nothing that tells them apart: add `#[serde(tag = \"kind\")]` to the enum (instead of `untagged`), or take a `serde_json::Value`";
const NEWTYPE: &str = "is an enum with a variant that is no object and so cannot carry the tag: give the variant named fields beside `#[serde(tag = \"kind\")]`";

impl Converter<'_> {
    /// `enum` and `const`.
    pub(super) fn constants(&mut self, mut keywords: Keywords) -> Value {
        let values = match (take(&mut keywords, "enum"), take(&mut keywords, "const")) {
            (Some(Value::Array(values)), _) => values,
            (_, Some(value)) => vec![value],
            _ => return self.fault("has an `enum` that is no list"),
        };
        self.plain_enum(annotations(&keywords), values)
    }

    /// An enum without data.
    fn plain_enum(&mut self, mut kept: Keywords, values: Vec<Value>) -> Value {
        if values.is_empty() {
            return self.fault("is an enum without variants, so nothing fits: add one");
        }
        if values.iter().all(Value::is_string) {
            set(&mut kept, "type", "string");
            set(&mut kept, "enum", values);
            return Value::Object(kept);
        }
        if let [only @ (Value::Bool(_) | Value::Null)] = &values[..] {
            let name = if only.is_null() { "null" } else { "boolean" };
            set(&mut kept, "type", name);
            describe(&mut kept, &format!("Always {only}."));
            return Value::Object(kept);
        }
        let mut integers: Vec<i128> = Vec::new();
        for value in &values {
            let Some(integer) = value.as_number().and_then(numbers::integer) else {
                return self
                    .fault("is an enum of mixed values, which hosts refuse: use strings only");
            };
            integers.insert(integers.partition_point(|less| *less < integer), integer);
        }
        let (least, most) = (integers[0], integers[integers.len() - 1]);
        if most - least >= integers.len() as i128 {
            let mut listed = Vec::new();
            for integer in &integers {
                listed.push(integer.to_string());
            }
            let listed = joined(&listed, ", ");
            describe(&mut kept, &format!("One of {listed}."));
        }
        set(&mut kept, "type", "integer");
        for (keyword, bound) in [("minimum", least), ("maximum", most)] {
            if let Some(bound) = numbers::number(bound) {
                set(&mut kept, keyword, bound);
            }
        }
        Value::Object(kept)
    }

    /// `oneOf` and `anyOf`, with whatever stands beside them.
    pub(super) fn alternatives(&mut self, mut keywords: Keywords) -> Value {
        let given = take_alternatives(&mut keywords);
        if keywords.contains_key("anyOf") {
            return self.fault("has both `oneOf` and `anyOf`: flatten one enum at most");
        }
        let Some(Value::Array(given)) = given else {
            return self.fault("has alternatives that are no list");
        };
        let mut expanded = Vec::new();
        for schema in given {
            if let Err(problem) = self.expand(schema, &mut expanded) {
                return self.fault(&problem);
            }
        }
        let mut kept = annotations(&keywords);
        if expanded
            .iter()
            .all(|alternative| values_of(alternative).is_some())
        {
            let values = describe_values(&mut kept, &expanded);
            return self.plain_enum(kept, values);
        }
        keep(&mut keywords, &mut |keyword, _| !kept.contains_key(keyword));
        // What an enum is flattened into belongs to each of its variants.
        for alternative in &mut expanded {
            if let Err(problem) = merge(alternative, &keywords) {
                return self.fault(&problem);
            }
        }
        if tag_of(&expanded).is_none() {
            return self.fault(untagged_problem(&expanded));
        }
        let mut alternatives = Vec::new();
        for (i, mut alternative) in expanded.into_iter().enumerate() {
            take(&mut alternative, "title");
            let outside = self.at.enter(&["anyOf", &i.to_string()]);
            alternatives.push(self.object(alternative, Closing::Nested));
            self.at.leave(outside);
        }
        set(&mut kept, "anyOf", alternatives);
        Value::Object(kept)
    }

    /// An alternative without references; one that is an enum itself becomes several.
    fn expand(&mut self, schema: Value, expanded: &mut Vec<Keywords>) -> Result<(), String> {
        let Value::Object(schema) = schema else {
            return Err(UNTAGGED.to_owned());
        };
        let mut outer = self.resolve(schema)?;
        let Some(Value::Array(inner)) = take_alternatives(&mut outer) else {
            expanded.push(outer);
            return Ok(());
        };
        // A recursive definition among its own alternatives would never end.
        if expanded.len() > 256 {
            return Err("has more than 256 alternatives: take a simpler enum".to_owned());
        }
        for schema in &inner {
            let mut merged = outer.clone();
            let schema = schema.as_object().ok_or(UNTAGGED)?;
            merge(&mut merged, schema).map_err(|_| UNTAGGED)?;
            expanded.push(self.resolve(merged)?);
        }
        Ok(())
    }
}

fn take_alternatives(keywords: &mut Keywords) -> Option<Value> {
    take(keywords, "oneOf").or_else(|| take(keywords, "anyOf"))
}

/// The values of a variant without data.
fn values_of(alternative: &Keywords) -> Option<&[Value]> {
    match alternative.get("const") {
        Some(value) => Some(slice::from_ref(value)),
        None => list(alternative, "enum"),
    }
}

/// The values of an enum without data, with the docs of its variants told in the description.
fn describe_values(kept: &mut Keywords, alternatives: &[Keywords]) -> Vec<Value> {
    let mut values = Vec::new();
    for alternative in alternatives {
        for value in values_of(alternative).unwrap_or_default() {
            if let Some(doc) = text(alternative, "description") {
                match value.as_str() {
                    Some(name) => describe_variant(kept, name, doc),
                    None => describe_variant(kept, &value.to_string(), doc),
                }
            }
            values.push(value.clone());
        }
    }
    values
}

/// The property that every alternative requires with a string of its own.
pub(super) fn tag_of(alternatives: &[Keywords]) -> Option<String> {
    let tags = |alternative: &Keywords, name: &str| {
        property(alternative, name).and_then(tag_value).is_some() && requires(alternative, name)
    };
    for name in nested(alternatives.first()?, "properties")?.keys() {
        if alternatives
            .iter()
            .all(|alternative| tags(alternative, name))
        {
            return Some(name.clone());
        }
    }
    None
}

/// The one string that a schema allows.
pub(super) fn tag_value(schema: &Value) -> Option<&str> {
    if let Some(Value::String(value)) = schema.get("const") {
        return Some(value);
    }
    match schema.get("enum")?.as_array()?.as_slice() {
        [Value::String(value)] => Some(value),
        _ => None,
    }
}

fn property<'a>(object: &'a Keywords, name: &str) -> Option<&'a Value> {
    nested(object, "properties")?.get(name)
}

fn requires(object: &Keywords, name: &str) -> bool {
    let required = list(object, "required").unwrap_or_default();
    required.iter().any(|required| required == name)
}

fn untagged_problem(alternatives: &[Keywords]) -> &'static str {
    let mut are_external = true;
    for alternative in alternatives {
        let properties = nested(alternative, "properties");
        let mut is_keyed = false;
        if let Some(properties) = properties {
            if properties
                .values()
                .any(|schema| tag_value(schema).is_some())
            {
                return NEWTYPE;
            }
            is_keyed = properties.len() == 1 && names(alternative).len() == 1;
        }
        are_external &=
            is_keyed || has_any(alternative, |keyword| matches!(keyword, "const" | "enum"));
    }
    if are_external { EXTERNAL } else { UNTAGGED }
}

/// Alternatives of the dialect as one object that admits them all, for a root that may have no combinator.
pub(super) fn merged(alternatives: &[Keywords], mut kept: Keywords) -> Keywords {
    let Some(tag) = tag_of(alternatives) else {
        return kept;
    };
    let mut properties = Keywords::new();
    let mut tag_schema = Keywords::new();
    let mut tags: Vec<Value> = Vec::new();
    let mut required = Vec::new();
    let mut open = false;
    for (i, alternative) in alternatives.iter().enumerate() {
        if i == 0 {
            required = names(alternative);
        }
        required.retain(|name| requires(alternative, name));
        open |= alternative.get("additionalProperties") != Some(&Value::Bool(false));
        let Some(own) = nested(alternative, "properties") else {
            continue;
        };
        for (name, schema) in own {
            if *name != tag {
                add_alternative(&mut properties, name, schema);
                continue;
            }
            let Some(value) = tag_value(schema) else {
                continue;
            };
            if let Some(doc) = text(alternative, "description") {
                describe_variant(&mut tag_schema, value, doc);
            }
            if !tags.iter().any(|tag| tag == value) {
                tags.push(value.into());
            }
        }
    }
    for (name, schema) in &mut properties {
        if let Value::Object(schema) = schema
            && let Some(usage) = usage(alternatives, &tag, name)
        {
            describe(schema, &usage);
        }
    }
    set(&mut tag_schema, "type", "string");
    set(&mut tag_schema, "enum", tags);
    set(&mut properties, &tag, tag_schema);
    set(&mut kept, "type", "object");
    set(&mut kept, "properties", properties);
    set(&mut kept, "required", values(&required));
    set(&mut kept, "additionalProperties", open);
    kept
}

/// The names that an object requires.
fn names(object: &Keywords) -> Vec<&str> {
    let mut names = Vec::new();
    for name in list(object, "required").unwrap_or_default() {
        if let Some(name) = name.as_str() {
            names.push(name);
        }
    }
    names
}

fn add_alternative(properties: &mut Keywords, name: &str, schema: &Value) {
    let Some(before) = properties.get_mut(name) else {
        set(properties, name, schema.clone());
        return;
    };
    if before == schema {
        return;
    }
    let mut distinct: Vec<Value> = Vec::new();
    for several in [&*before, schema] {
        let several = match several.get("anyOf") {
            Some(Value::Array(several)) => several,
            _ => slice::from_ref(several),
        };
        for schema in several {
            if !distinct.contains(schema) {
                distinct.push(schema.clone());
            }
        }
    }
    let mut any = Keywords::new();
    set(&mut any, "anyOf", distinct);
    *before = Value::Object(any);
}

/// Which variants a property belongs to, where not all of them have or require it.
fn usage(alternatives: &[Keywords], tag: &str, name: &str) -> Option<String> {
    let mut having = Vec::new();
    let mut requiring = Vec::new();
    for alternative in alternatives {
        let Some(value) = property(alternative, tag).and_then(tag_value) else {
            continue;
        };
        let value = format!("{value:?}");
        if requires(alternative, name) {
            requiring.push(value.clone());
        }
        if property(alternative, name).is_some() {
            having.push(value);
        }
    }
    if requiring.len() == alternatives.len() {
        return None;
    }
    let mut text = String::new();
    if having.len() < alternatives.len() {
        text = format!("Only with {tag} {}", joined(&having, ", "));
    }
    if !requiring.is_empty() {
        text += if text.is_empty() {
            "Required"
        } else {
            "; required"
        };
        if requiring.len() < having.len() || having.len() == alternatives.len() {
            text += &format!(" with {tag} {}", joined(&requiring, ", "));
        } else {
            text += " there";
        }
    }
    (!text.is_empty()).then(|| text + ".")
}
