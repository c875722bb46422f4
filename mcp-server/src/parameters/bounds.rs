//! [`TextBounds`]: the bounds of arguments that come as text, whatever their types: those of prompts, and the variables of
//! templates.
//!
//! Motivation: a client is told no schema for these, and their types read the text. What is left to compare are the bounds, with
//! the number, the truth value or the text that JSON would have in that place. A type that reads text in a way of its own has no
//! bounds that could be compared; it refuses for itself.

use mcp_core::schema::{Received, Validator};
use serde_json::{Map, Number, Value};

use crate::{
    faults::FunctionFaults,
    spec::FunctionSpec,
    tool::{Alias, bounded_arguments, join, unfit},
};

/// The schema of arguments that have bounds.
pub(crate) struct TextBounds {
    validator: Validator,
    aliases: Vec<Alias>,
}

impl TextBounds {
    /// Takes them from the schema that a tool would have; none where nothing has a bound.
    pub(crate) fn of(spec: &FunctionSpec, faults: &mut FunctionFaults<'_>) -> Option<Self> {
        let (validator, aliases) = bounded_arguments(spec, faults)?;
        Some(Self { validator, aliases })
    }

    /// Compares arguments with their bounds. All else that is wrong with them is for the parameters to refuse.
    ///
    /// # Errors
    ///
    /// What does not fit, for the client.
    pub(crate) fn check(&self, arguments: &str) -> Result<(), String> {
        let Ok(given) = serde_json::from_str::<Map<String, Value>>(arguments) else {
            return Ok(());
        };
        let mut values = Map::new();
        for (name, value) in given {
            if let Value::String(text) = value {
                let listed = self.listed(name);
                let value = self.value(&listed, text);
                values.insert(listed, value);
            }
        }
        let Err(mut violations) = self.validator.validate(&Value::Object(values)) else {
            return Ok(());
        };
        violations.retain(|violation| matches!(violation.received, Received::BadValue(_)));
        if violations.is_empty() {
            return Ok(());
        }
        Err(unfit(&join(&violations)))
    }

    /// The name in the schema.
    fn listed(&self, name: String) -> String {
        let alias = self.aliases.iter().find(|alias| alias.name == name);
        let listed = alias.and_then(|alias| alias.listed);
        listed.map_or(name, str::to_owned)
    }

    /// What JSON would have in place of the text: what the schema has there, or else the text.
    fn value(&self, name: &str, text: String) -> Value {
        let others = [number(&text), text.parse().ok().map(Value::Bool)];
        let mut others = others.into_iter().flatten();
        let text = Value::String(text);
        if self.is_of_type(name, &text) {
            return text;
        }
        others
            .find(|other| self.is_of_type(name, other))
            .unwrap_or(text)
    }

    fn is_of_type(&self, name: &str, value: &Value) -> bool {
        let alone = Map::from_iter([(name.to_owned(), value.clone())]);
        match self.validator.validate(&Value::Object(alone)) {
            Ok(()) => true,
            Err(violations) => !violations
                .iter()
                .any(|violation| matches!(violation.received, Received::WrongType(_))),
        }
    }
}

fn number(text: &str) -> Option<Value> {
    let integer = text
        .parse()
        .map(i64::into)
        .or_else(|_| text.parse().map(u64::into));
    let number = integer
        .ok()
        .or_else(|| Number::from_f64(text.parse().ok()?));
    number.map(Value::Number)
}
