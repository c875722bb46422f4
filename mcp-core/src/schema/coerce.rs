//! Arguments that fit their schema, in the spelling that the decoder takes.
//!
//! The schema allows `5.0` for an integer and `null` for an optional argument; a derived decoder refuses the first always
//! and the second for a field with a default. [`coerce`] rewrites both. It is for arguments that the decoder refused and
//! the [`Validator`] accepts: where the decoder takes `null` itself it may mean something by it, so try it first.

use serde_json::{Map, Value};

use super::numbers;
use super::object::keep;
use super::validate::Validator;
use super::validate::node::{Additional, Alternatives, Node, ObjectNode};

/// Rewrites integral floats to integers where the schema has an integer, and removes `null` from properties that need not be
/// there and do not list it. Nothing else changes: text never becomes a number. Returns whether anything did.
///
/// A value that is not valid stays as it is.
pub fn coerce(validator: &Validator, value: &mut Value) -> bool {
    validator.is_valid(value) && coerce_node(validator, validator.root(), value)
}

fn coerce_node(validator: &Validator, node: &Node, value: &mut Value) -> bool {
    let mut changed = false;
    if let Value::Number(number) = value
        && node.types.is_some_and(|types| types.is_integer_only())
        && let Some(integer) = numbers::integral(number)
    {
        *number = integer;
        changed = true;
    }
    match (&mut *value, &node.object, &node.array) {
        (Value::Object(members), Some(object), _) => {
            changed |= coerce_object(validator, object, members)
        }
        (Value::Array(items), _, Some(array)) => {
            for (i, item) in items.iter_mut().enumerate() {
                if let Some(node) = array.prefix.get(i).or(array.items.as_ref()) {
                    changed |= coerce_node(validator, node, item);
                }
            }
        }
        _ => {}
    }
    if let Some(target) = node.reference.and_then(|index| validator.definition(index)) {
        changed |= coerce_node(validator, target, value);
    }
    for part in &node.all_of {
        changed |= coerce_node(validator, part, value);
    }
    for alternatives in [&node.any_of, &node.one_of].into_iter().flatten() {
        changed |= coerce_alternative(validator, alternatives, value);
    }
    changed
}

fn coerce_object(
    validator: &Validator,
    object: &ObjectNode,
    members: &mut Map<String, Value>,
) -> bool {
    let before = members.len();
    keep(members, &mut |name, value| {
        let absent = value.is_null()
            && object.property(name).is_some_and(|property| {
                !property.required && !validator.fits(&property.node, value)
            });
        !absent
    });
    let mut changed = members.len() < before;
    for (name, value) in members {
        let node = match (object.property(name), &object.additional) {
            (Some(property), _) => &property.node,
            (None, Additional::Each(node)) => node,
            (None, Additional::Any | Additional::None) => continue,
        };
        changed |= coerce_node(validator, node, value);
    }
    changed
}

fn coerce_alternative(
    validator: &Validator,
    alternatives: &Alternatives,
    value: &mut Value,
) -> bool {
    let chosen = alternatives
        .nodes
        .iter()
        .find(|node| validator.fits(node, value));
    chosen.is_some_and(|node| coerce_node(validator, node, value))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::{Validator, coerce};

    #[test]
    fn null_stays_where_the_schema_lists_it() {
        let validator = Validator::new(&json!({"type": "object", "properties": {
            "listed": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "unlisted": {"type": "integer"},
        }}))
        .unwrap();
        let mut value = json!({"listed": null, "unlisted": null, "unknown": null});
        assert!(coerce(&validator, &mut value));
        assert_eq!(value, json!({"listed": null, "unknown": null}));
    }

    #[test]
    fn numbers_that_need_not_be_integers_stay() {
        let validator = Validator::new(&json!({"type": "object", "properties": {
            "number": {"type": "number"},
            "either": {"anyOf": [{"type": "string"}, {"type": "number"}]},
            "text": {"type": "string"},
            "integer": {"allOf": [{"type": "integer"}]},
            "tuple": {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "number"}]},
        }}))
        .unwrap();
        let mut value = json!({"number": 5.0, "either": 5.0, "text": "5.0", "integer": 5.0, "tuple": [5.0, 5.0]});
        assert!(coerce(&validator, &mut value));
        assert_eq!(
            value.to_string(),
            json!({"number": 5.0, "either": 5.0, "text": "5.0", "integer": 5, "tuple": [5, 5.0]})
                .to_string()
        );
    }
}
