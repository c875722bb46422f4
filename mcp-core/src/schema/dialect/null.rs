//! `null` in a schema: taken out of what an `Option` derives, and put back where it must be said.

use serde_json::Value;

use super::Keywords;
use super::keywords::{annotations, of_type};
use crate::schema::object::{keep, set, take};

pub(super) fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|name| name == "null")
}

/// Removes `null` from what a schema allows, where it allows anything else; tells whether it did.
pub(super) fn take_null(keywords: &mut Keywords) -> bool {
    let mut taken = take_null_type(keywords);
    for combinator in ["anyOf", "oneOf"] {
        // Removed for an `Option` only: beside several others, `null` is an alternative like them.
        if let Some(Value::Array(alternatives)) = keywords.get_mut(combinator)
            && alternatives.len() == 2
        {
            alternatives.retain(|schema| !is_null(schema));
            taken |= alternatives.len() == 1;
        }
    }
    taken
}

/// The same for a schema that has no alternatives.
pub(super) fn take_null_type(keywords: &mut Keywords) -> bool {
    let mut taken = false;
    if let Some(kind) = keywords.get_mut("type")
        && let Value::Array(names) = kind
    {
        let before = names.len();
        names.retain(|name| name != "null");
        taken = names.len() < before;
        if names.len() == 1 {
            *kind = names.remove(0);
        }
        if let Some(Value::Array(values)) = keywords.get_mut("enum") {
            values.retain(|value| !value.is_null());
        }
    }
    taken
}

/// The one alternative that is left, taken out of the schema.
pub(super) fn only_alternative(keywords: &mut Keywords) -> Option<Keywords> {
    for combinator in ["anyOf", "oneOf"] {
        let only = match keywords
            .get_mut(combinator)
            .and_then(Value::as_array_mut)
            .map(Vec::as_mut_slice)
        {
            Some([Value::Object(only)]) => std::mem::take(only),
            Some([Value::Bool(true)]) => Keywords::new(),
            _ => continue,
        };
        take(keywords, combinator);
        return Some(only);
    }
    None
}

/// `null` as one more alternative; annotations stay outside.
pub(super) fn with_null(schema: Value) -> Value {
    let Value::Object(mut keywords) = schema else {
        return schema;
    };
    if let Some(Value::Array(alternatives)) = keywords.get_mut("anyOf") {
        if !alternatives.iter().any(is_null) {
            alternatives.push(null());
        }
        return Value::Object(keywords);
    }
    let mut outer = annotations(&keywords);
    keep(&mut keywords, &mut |keyword, _| {
        !outer.contains_key(keyword)
    });
    set(&mut outer, "anyOf", vec![Value::Object(keywords), null()]);
    Value::Object(outer)
}

fn null() -> Value {
    Value::Object(of_type("null"))
}
