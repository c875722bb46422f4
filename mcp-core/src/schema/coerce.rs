//! Arguments that fit their schema, in the spelling that the decoder takes.
//!
//! The schema allows `5.0` for an integer and `null` for an optional argument; a derived decoder refuses the first always
//! and the second for a field with a default. [`coerce`] rewrites both. It is for arguments that the decoder refused and
//! the [`Validator`] accepts: where the decoder takes `null` itself it may mean something by it, so try it first.

use serde_json::{Map, Value};

use super::numbers;
use super::object::keep;
use super::validate::node::{Additional, Node, ObjectNode};
use super::validate::{MAX_HOPS, MAX_STACKED, Validator};

/// Rewrites integral floats to integers where the schema has an integer, and removes `null` from properties that need not be
/// there and do not list it. Nothing else changes: text never becomes a number. Returns whether anything did.
///
/// A value that is not valid stays as it is.
pub fn coerce(validator: &Validator, value: &mut Value) -> bool {
    let mut coercion = Coercion {
        validator,
        hops: 0,
        stacked: 0,
    };
    validator.is_valid(value) && coercion.node(validator.root(), value)
}

/// Goes as far as [`Validator`] goes. What it leaves as it is there, the decoder complains of.
struct Coercion<'a> {
    validator: &'a Validator,
    /// How many references and alternatives were followed without going deeper.
    hops: usize,
    /// How many schemas are on the stack.
    stacked: usize,
}

impl Coercion<'_> {
    /// Rewrites a value within the current one.
    fn nested(&mut self, node: &Node, value: &mut Value) -> bool {
        let hops = std::mem::take(&mut self.hops);
        let changed = self.node(node, value);
        self.hops = hops;
        changed
    }

    /// Rewrites the current value as one more schema has it.
    fn node(&mut self, node: &Node, value: &mut Value) -> bool {
        if self.hops > MAX_HOPS || self.stacked == MAX_STACKED {
            return false;
        }
        self.hops += 1;
        self.stacked += 1;
        let changed = self.rewrite(node, value);
        self.stacked -= 1;
        self.hops -= 1;
        changed
    }

    fn rewrite(&mut self, node: &Node, value: &mut Value) -> bool {
        let mut changed = false;
        if let Value::Number(number) = value
            && node.types.is_some_and(|types| types.is_integer_only())
            && let Some(integer) = numbers::integral(number)
        {
            *number = integer;
            changed = true;
        }
        match (&mut *value, &node.object, &node.array) {
            (Value::Object(members), Some(object), _) => changed |= self.object(object, members),
            (Value::Array(items), _, Some(array)) => {
                for (i, item) in items.iter_mut().enumerate() {
                    if let Some(node) = array.prefix.get(i).or(array.items.as_ref()) {
                        changed |= self.nested(node, item);
                    }
                }
            }
            _ => {}
        }
        let validator = self.validator;
        if let Some(target) = node.reference.and_then(|index| validator.definition(index)) {
            changed |= self.node(target, value);
        }
        for part in &node.all_of {
            changed |= self.node(part, value);
        }
        for alternatives in [&node.any_of, &node.one_of].into_iter().flatten() {
            let mut nodes = alternatives.nodes.iter();
            if let Some(chosen) = nodes.find(|node| validator.fits(node, value)) {
                changed |= self.node(chosen, value);
            }
        }
        changed
    }

    fn object(&mut self, object: &ObjectNode, members: &mut Map<String, Value>) -> bool {
        let before = members.len();
        keep(members, &mut |name, value| {
            let absent = value.is_null()
                && object.property(name).is_some_and(|property| {
                    !property.required && !self.validator.fits(&property.node, value)
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
            changed |= self.nested(node, value);
        }
        changed
    }
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
