//! Equality of values as JSON Schema has it: numbers by value, objects without order.

use std::cmp::Ordering;

use serde_json::Value;

use crate::schema::{numbers, object::sorted_names};
use crate::text::joined;

/// Equality of JSON Schema: numbers by value.
pub(super) fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            numbers::compare(left, right) == Some(Ordering::Equal)
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|(left, right)| equal(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(key, left)| right.get(key).is_some_and(|right| equal(left, right)))
        }
        _ => left == right,
    }
}

/// A text that two values share exactly if they are equal.
pub(super) fn canonical(value: &Value) -> String {
    match value {
        Value::Number(number) => numbers::integer(number)
            .map_or_else(|| number.to_string(), |integer| integer.to_string()),
        Value::Array(items) => format!("[{}]", joined(&canonical_each(items), ",")),
        Value::Object(members) => {
            let mut texts = Vec::with_capacity(members.len());
            for key in sorted_names(members) {
                texts.push(format!("{key:?}:{}", canonical(&members[key])));
            }
            format!("{{{}}}", joined(&texts, ","))
        }
        other => other.to_string(),
    }
}

pub(super) fn canonical_each(values: &[Value]) -> Vec<String> {
    let mut texts = Vec::with_capacity(values.len());
    for value in values {
        texts.push(canonical(value));
    }
    texts
}
