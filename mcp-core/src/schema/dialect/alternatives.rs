//! Enums: plain values, and alternatives that a tag tells apart.

use serde_json::{Value, json};

use super::Keywords;
use super::containers::Closing;
use super::convert::{Converter, twice};
use super::keywords::{annotations, describe, names};
use super::resolve::merge;
use crate::schema::numbers;

const EXTERNAL: &str = "is an enum whose variants are keys of an object, which models confuse: add `#[serde(tag = \"kind\")]` to the enum";
const UNTAGGED: &str = "offers several shapes and nothing that tells them apart: add `#[serde(tag = \"kind\")]` to the enum (instead of `untagged`), or take a `serde_json::Value`";
const NEWTYPE: &str = "is an enum with a variant that is no object and so cannot carry the tag: give the variant named fields beside `#[serde(tag = \"kind\")]`";

impl Converter<'_> {
    /// `enum` and `const`.
    pub(super) fn constants(&mut self, mut keywords: Keywords) -> Value {
        let values = match (keywords.remove("enum"), keywords.remove("const")) {
            (Some(Value::Array(values)), _) => values,
            (_, Some(value)) => vec![value],
            _ => return self.fault("has an `enum` that is no list"),
        };
        let documented = values.into_iter().map(|value| (value, None)).collect();
        self.plain_enum(annotations(&keywords), documented)
    }

    /// An enum without data, with the docs of its variants.
    fn plain_enum(&mut self, mut kept: Keywords, values: Vec<(Value, Option<String>)>) -> Value {
        for (value, doc) in &values {
            if let Some(doc) = doc {
                let name = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned);
                describe(&mut kept, &format!("{name}: {}", doc.trim()));
            }
        }
        let values: Vec<Value> = values.into_iter().map(|(value, _)| value).collect();
        if values.is_empty() {
            return self.fault("is an enum without variants, so nothing fits: add one");
        }
        if values.iter().all(Value::is_string) {
            kept.insert("type".to_owned(), "string".into());
            kept.insert("enum".to_owned(), values.into());
            return Value::Object(kept);
        }
        if let [only @ (Value::Bool(_) | Value::Null)] = &values[..] {
            let name = if only.is_null() { "null" } else { "boolean" };
            kept.insert("type".to_owned(), name.into());
            describe(&mut kept, &format!("Always {only}."));
            return Value::Object(kept);
        }
        let integer = |value: &Value| value.as_number().and_then(numbers::integer);
        let mut integers: Vec<i128> = Vec::new();
        for value in &values {
            let Some(integer) = integer(value) else {
                return self
                    .fault("is an enum of mixed values, which hosts refuse: use strings only");
            };
            integers.insert(integers.partition_point(|less| *less < integer), integer);
        }
        let (least, most) = (integers[0], integers[integers.len() - 1]);
        if most - least >= integers.len() as i128 {
            let listed: Vec<String> = integers.iter().map(ToString::to_string).collect();
            describe(&mut kept, &format!("One of {}.", listed.join(", ")));
        }
        kept.insert("type".to_owned(), "integer".into());
        for (keyword, bound) in [("minimum", least), ("maximum", most)] {
            if let Some(bound) = numbers::number(bound) {
                kept.insert(keyword.to_owned(), bound.into());
            }
        }
        Value::Object(kept)
    }

    /// `oneOf` and `anyOf`, with whatever stands beside them.
    pub(super) fn alternatives(&mut self, mut keywords: Keywords) -> Value {
        let given = keywords
            .remove("oneOf")
            .or_else(|| keywords.remove("anyOf"));
        if keywords.contains_key("anyOf") {
            return self.fault("has both `oneOf` and `anyOf`: flatten one enum at most");
        }
        let Some(Value::Array(given)) = given else {
            return self.fault("has alternatives that are no list");
        };
        let mut expanded = Vec::new();
        for schema in given {
            if let Err(problem) = self.expand(schema, &mut expanded) {
                return self.fault(problem);
            }
        }
        if let Some(values) = plain_values(&expanded) {
            return self.plain_enum(annotations(&keywords), values);
        }
        let kept = annotations(&keywords);
        keywords.retain(|keyword, _| !kept.contains_key(keyword));
        // What an enum is flattened into belongs to each of its variants.
        for alternative in &mut expanded {
            if let Err(keyword) = merge(alternative, &keywords) {
                return self.fault(twice(&keyword));
            }
        }
        if tag_of(&expanded).is_none() {
            return self.fault(untagged_problem(&expanded));
        }
        let alternatives: Vec<Value> = expanded
            .into_iter()
            .enumerate()
            .map(|(i, mut alternative)| {
                alternative.retain(|keyword, _| keyword != "title");
                let outside = self.enter(&["anyOf", &i.to_string()]);
                let converted = self.object(alternative, Closing::Nested);
                self.leave(outside);
                converted
            })
            .collect();
        let mut kept = kept;
        kept.insert("anyOf".to_owned(), alternatives.into());
        Value::Object(kept)
    }

    /// An alternative without references; one that is an enum itself becomes several.
    fn expand(&mut self, schema: Value, expanded: &mut Vec<Keywords>) -> Result<(), String> {
        let Value::Object(schema) = schema else {
            return Err(UNTAGGED.to_owned());
        };
        let mut outer = self.resolve(schema)?;
        let Some(Value::Array(inner)) = outer.remove("oneOf").or_else(|| outer.remove("anyOf"))
        else {
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

/// The values of an enum without data, with their docs; `None` if any variant has data.
fn plain_values(alternatives: &[Keywords]) -> Option<Vec<(Value, Option<String>)>> {
    let mut values = Vec::new();
    for alternative in alternatives {
        let doc = alternative
            .get("description")
            .and_then(Value::as_str)
            .map(str::to_owned);
        match (alternative.get("const"), alternative.get("enum")) {
            (Some(value), _) => values.push((value.clone(), doc)),
            (_, Some(Value::Array(several))) => {
                values.extend(several.iter().map(|value| (value.clone(), doc.clone())))
            }
            _ => return None,
        }
    }
    Some(values)
}

/// The property that every alternative requires with a string of its own.
pub(super) fn tag_of(alternatives: &[Keywords]) -> Option<String> {
    let first = alternatives.first()?;
    let properties = first.get("properties")?.as_object()?;
    let tags = |alternative: &Keywords, name: &str| {
        alternative
            .get("properties")
            .and_then(|properties| properties.get(name))
            .is_some_and(|schema| tag_value(schema).is_some())
            && names(alternative.get("required"))
                .iter()
                .any(|required| required == name)
    };
    let all = |name: &&String| {
        alternatives
            .iter()
            .all(|alternative| tags(alternative, name))
    };
    properties.keys().find(all).cloned()
}

/// The one string that a schema allows.
pub(super) fn tag_value(schema: &Value) -> Option<&str> {
    match (
        schema.get("const"),
        schema
            .get("enum")
            .and_then(Value::as_array)
            .map(Vec::as_slice),
    ) {
        (Some(Value::String(value)), _) | (_, Some([Value::String(value)])) => Some(value),
        _ => None,
    }
}

fn untagged_problem(alternatives: &[Keywords]) -> &'static str {
    let is_plain = |alternative: &Keywords| {
        alternative.contains_key("const") || alternative.contains_key("enum")
    };
    let is_keyed = |alternative: &Keywords| {
        let properties = alternative.get("properties").and_then(Value::as_object);
        properties.is_some_and(|properties| {
            properties.len() == 1 && names(alternative.get("required")).len() == 1
        })
    };
    let has_tag = |alternative: &Keywords| {
        let properties = alternative.get("properties").and_then(Value::as_object);
        properties.is_some_and(|properties| {
            properties
                .values()
                .any(|schema| tag_value(schema).is_some())
        })
    };
    if alternatives.iter().any(has_tag) {
        NEWTYPE
    } else if alternatives
        .iter()
        .all(|alternative| is_plain(alternative) || is_keyed(alternative))
    {
        EXTERNAL
    } else {
        UNTAGGED
    }
}

/// Alternatives of the dialect as one object that admits them all, for a root that may have no combinator.
pub(super) fn merged(alternatives: &[Keywords], mut kept: Keywords) -> Keywords {
    let Some(tag) = tag_of(alternatives) else {
        return kept;
    };
    let mut properties = Keywords::new();
    let mut tag_schema = Keywords::new();
    let mut tags: Vec<Value> = Vec::new();
    let mut required: Vec<String> =
        names(alternatives.first().and_then(|first| first.get("required")));
    let mut open = false;
    for alternative in alternatives {
        let own = names(alternative.get("required"));
        required.retain(|name| own.contains(name));
        open |= alternative.get("additionalProperties") != Some(&Value::Bool(false));
        for (name, schema) in alternative
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            if *name != tag {
                add_alternative(&mut properties, name, schema);
                continue;
            }
            let Some(value) = tag_value(schema).map(Value::from) else {
                continue;
            };
            if let (Some(doc), Some(name)) = (
                alternative.get("description").and_then(Value::as_str),
                value.as_str(),
            ) {
                describe(&mut tag_schema, &format!("{name}: {}", doc.trim()));
            }
            if !tags.contains(&value) {
                tags.push(value);
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
    tag_schema.insert("type".to_owned(), "string".into());
    tag_schema.insert("enum".to_owned(), tags.into());
    properties.insert(tag, tag_schema.into());
    kept.insert("type".to_owned(), "object".into());
    kept.insert("properties".to_owned(), properties.into());
    kept.insert("required".to_owned(), required.into());
    kept.insert("additionalProperties".to_owned(), open.into());
    kept
}

fn add_alternative(properties: &mut Keywords, name: &str, schema: &Value) {
    let Some(before) = properties.get_mut(name) else {
        properties.insert(name.to_owned(), schema.clone());
        return;
    };
    if before == schema {
        return;
    }
    let mut several = match before.get("anyOf").and_then(Value::as_array) {
        Some(several) => several.clone(),
        None => vec![before.clone()],
    };
    match schema.get("anyOf").and_then(Value::as_array) {
        Some(more) => several.extend(more.iter().cloned()),
        None => several.push(schema.clone()),
    }
    let mut distinct: Vec<Value> = Vec::new();
    for schema in several {
        if !distinct.contains(&schema) {
            distinct.push(schema);
        }
    }
    *before = json!({"anyOf": distinct});
}

/// Which variants a property belongs to, where not all of them have or require it.
fn usage(alternatives: &[Keywords], tag: &str, name: &str) -> Option<String> {
    let value = |alternative: &Keywords| {
        let schema = alternative.get("properties")?.get(tag)?;
        tag_value(schema).map(|value| format!("{value:?}"))
    };
    let with = |wanted: &dyn Fn(&Keywords) -> bool| -> Vec<String> {
        alternatives
            .iter()
            .filter(|alternative| wanted(alternative))
            .filter_map(value)
            .collect()
    };
    let having = with(&|alternative| {
        alternative
            .get("properties")
            .and_then(|all| all.get(name))
            .is_some()
    });
    let requiring = with(&|alternative| {
        names(alternative.get("required"))
            .iter()
            .any(|known| known == name)
    });
    if requiring.len() == alternatives.len() {
        return None;
    }
    let mut text = String::new();
    if having.len() < alternatives.len() {
        text = format!("Only with {tag} {}", having.join(", "));
    }
    if !requiring.is_empty() {
        text += if text.is_empty() {
            "Required"
        } else {
            "; required"
        };
        if requiring.len() < having.len() || having.len() == alternatives.len() {
            text += &format!(" with {tag} {}", requiring.join(", "));
        } else {
            text += " there";
        }
    }
    (!text.is_empty()).then(|| text + ".")
}
