//! One misfit, and how a model reads it.

use std::fmt;

use serde_json::Value;

/// Something in a value that its schema does not allow. Never repeats the value itself.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// JSON pointer to the part of the value; empty for the value as a whole. Long keys are cut.
    pub pointer: String,
    /// What is expected there, to be read after "must be"; for an unknown key the known ones, if any.
    pub expected: String,
    /// What was there.
    pub received: Received,
}

/// What was found in place of what was expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Received {
    /// A value of this JSON type, which is not the expected one.
    WrongType(&'static str),
    /// A value of the right type that breaks a constraint.
    BadValue(&'static str),
    /// Nothing: the key is required.
    Missing,
    /// A key that does not exist.
    UnknownKey,
}

impl Violation {
    /// The JSON type that was received; `None` for a missing or unknown key.
    #[must_use]
    pub fn received_type(&self) -> Option<&'static str> {
        match self.received {
            Received::WrongType(name) | Received::BadValue(name) => Some(name),
            Received::Missing | Received::UnknownKey => None,
        }
    }

    /// The sentence, with `noun` for what the keys of the root are: "argument", "member".
    #[must_use]
    pub fn in_words(&self, noun: &str) -> String {
        let Self {
            pointer, expected, ..
        } = self;
        let place = if pointer.is_empty() {
            format!("the {noun}s")
        } else {
            format!("`{pointer}`")
        };
        match self.received {
            Received::WrongType(name) => format!(
                "{place} must be {expected}, received {}",
                with_article(name)
            ),
            Received::BadValue(_) => format!("{place} must be {expected}"),
            Received::Missing => format!(
                "missing required {noun} `{}`: must be {expected}",
                self.name()
            ),
            Received::UnknownKey if expected.is_empty() => {
                format!("unknown {noun} `{}`; there are none", self.name())
            }
            Received::UnknownKey => format!(
                "unknown {noun} `{}`; known {noun}s: {expected}",
                self.name()
            ),
        }
    }

    /// A key of the root by its name, anything deeper by its pointer.
    fn name(&self) -> &str {
        match self.pointer.strip_prefix('/') {
            Some(name) if !name.bytes().any(|byte| matches!(byte, b'/' | b'~')) => name,
            _ => &self.pointer,
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.in_words("argument"))
    }
}

impl std::error::Error for Violation {}

/// The name of a value's JSON type.
pub(super) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

pub(super) fn with_article(name: &str) -> String {
    match name {
        "null" => "null".to_owned(),
        "array" | "object" | "integer" => format!("an {name}"),
        _ => format!("a {name}"),
    }
}
