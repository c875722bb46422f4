//! What input and output schemas have in common on their way from a Rust type to a client.

use std::fmt;

use mcp_core::schema::{Dialect, DialectOptions, Validator, to_dialect};
use schemars::{Schema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value};

use crate::{faults::FunctionFaults, spec::SchemaFn};

/// Rewrites a schema into the dialect that every host reads.
pub(super) fn dialect(
    root: Value,
    options: DialectOptions,
    faults: &mut FunctionFaults<'_>,
    place: &str,
) -> Option<Dialect> {
    to_dialect(root, options)
        .map_err(|found| {
            for fault in found {
                faults.add(None, format!("{place}{fault}"));
            }
        })
        .ok()
}

/// Compiles a schema, with an engine for its patterns.
pub(super) fn validator(dialect: &Dialect, faults: &mut FunctionFaults<'_>) -> Option<Validator> {
    let pattern = |pattern: &str| {
        let regex =
            regex_lite::Regex::new(pattern).map_err(|e| format!("has a bad pattern: {e}"))?;
        Ok(Box::new(move |text: &str| regex.is_match(text)) as _)
    };
    Validator::with_patterns(dialect.checked(), pattern)
        .map_err(|found| {
            for fault in found.0 {
                faults.add(None, fault.to_string());
            }
        })
        .ok()
}

/// Adds the schemas of the types that a schema refers to.
pub(super) fn add_definitions(schema: &mut Value, generator: &mut SchemaGenerator) {
    let definitions = generator.take_definitions(true);
    if !definitions.is_empty() {
        set(schema, "$defs", definitions.into());
    }
}

/// A type's schema with those that it refers to.
pub(super) fn with_definitions(schema: Schema, generator: &mut SchemaGenerator) -> Value {
    let mut schema = schema.to_value();
    add_definitions(&mut schema, generator);
    schema
}

/// Sets a keyword; `true` becomes a schema that has only that keyword.
pub(super) fn set(schema: &mut Value, name: &str, value: Value) {
    if !schema.is_object() {
        *schema = Value::Object(Map::new());
    }
    if let Value::Object(keywords) = schema {
        keywords.insert(name.to_owned(), value);
    }
}

/// Faults in one sentence.
pub(crate) fn join<T: fmt::Display>(faults: &[T]) -> String {
    faults
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("; ")
}

/// A type's schema with its definitions, by itself.
pub(crate) fn standalone(schema: SchemaFn) -> Value {
    let mut generator = SchemaSettings::draft2020_12()
        .for_deserialize()
        .into_generator();
    with_definitions(schema(&mut generator), &mut generator)
}
