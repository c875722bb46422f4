//! The one conservative dialect of JSON Schema in which every schema of ours is served.
//!
//! # Motivation
//!
//! Hosts read `tools/list` as a whole: one schema that a host cannot digest makes it drop every tool. What
//! schemars derives is correct and too rich for many of them, so [`to_dialect`] rewrites it:
//!
//! * The root is `type: object` with `properties` and `additionalProperties`, without title, `$schema` or
//!   combinator. Structs are closed, maps keep the schema of their values.
//! * Definitions are inlined. Recursive ones stay, as `#/$defs/Name`, and only where they are used.
//! * `type` is one name. `Option<T>` in a field that may be absent is the schema of `T`: there a reader of ours
//!   takes `null` for absent, whatever the schema says. Where `null` cannot be expressed by absence (items of
//!   a list, values of a map, required fields, anything in a result) it stays, as an alternative of `anyOf`.
//! * Any JSON (`serde_json::Value`) is a described `anyOf` of the six types: `true` makes hosts drop the
//!   list, and `{}` makes models send the value as a string of JSON. Only the items of the array within it are
//!   left without a type, because the nesting must end somewhere.
//! * Formats of numbers become bounds. Types of 64 bits have none but the zero of the unsigned ones: bounds at
//!   the edge of 64 bits wrap in hosts that keep them in a signed field.
//! * Enums without data are strings with `enum`, their variants' docs in the description. Integer enums are
//!   integers with bounds. Enums with a tag are `anyOf` of closed objects whose tag is a string with a one-value
//!   `enum`; at the root they are merged into one object, and [`Dialect::checked`] keeps the exact schema. Adjacent
//!   tagging (`tag` and `content`) gives such objects as well and is served as it is.
//! * Enums with data and without a tag are faults, which name the attribute to add.
//! * Tuples are arrays of their length whose items are any of the members' schemas, with the order told in the
//!   description: hosts know neither `prefixItems` nor an array without `items`.
//! * Examples move into the description; `default: null` and keywords that say nothing to a model are dropped; other
//!   keywords are faults.

mod alternatives;
mod containers;
mod convert;
mod keywords;
mod null;
mod resolve;
mod root;
mod scalars;

use std::fmt;

use serde_json::{Map, Value};

pub(super) use keywords::{ANNOTATIONS, FORMATS, applicable};
pub use root::{needs_wrapping, to_dialect, wrap_result};

/// What a schema is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Arguments,
    Result,
}

/// How a schema is rewritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DialectOptions {
    purpose: Purpose,
    open: bool,
}

impl DialectOptions {
    /// The arguments of a tool: an object; unknown arguments are refused, `null` means absent.
    #[must_use]
    pub fn arguments() -> Self {
        Self {
            purpose: Purpose::Arguments,
            open: false,
        }
    }

    /// The result of a tool: any type (see [`wrap_result`]); an empty `Option` is written as `null`.
    #[must_use]
    pub fn result() -> Self {
        Self {
            purpose: Purpose::Result,
            open: false,
        }
    }

    /// Lets the root take members that it does not name. Objects further down stay closed.
    #[must_use]
    pub fn open(mut self) -> Self {
        self.open = true;
        self
    }
}

/// A schema in the dialect.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Dialect {
    /// What hosts are told.
    pub schema: Value,
    /// What values are checked against, where that is more exact: alternatives at the root.
    pub exact: Option<Value>,
    /// Whether the schema promises more than a derived decoder enforces, so that values must be checked against it.
    ///
    /// Types, required fields, bounds of Rust's integer types and values of enums are enforced by decoding. The
    /// members of the root object do not count either: whoever reads the arguments knows their names. A closed struct
    /// further down counts, unless it says `deny_unknown_fields`.
    pub has_constraints: bool,
}

impl Dialect {
    /// The schema against which values are checked.
    #[must_use]
    pub fn checked(&self) -> &Value {
        self.exact.as_ref().unwrap_or(&self.schema)
    }
}

/// A part of a schema that has no place in the dialect, with the way out.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaFault {
    /// JSON pointer to the part, through references: `/properties/filter/properties/op`. Empty for the root.
    pub pointer: String,
    /// What is wrong and what to do about it.
    pub problem: String,
}

impl SchemaFault {
    pub(crate) fn new(pointer: impl Into<String>, problem: impl Into<String>) -> Self {
        Self {
            pointer: pointer.into(),
            problem: problem.into(),
        }
    }
}

impl fmt::Display for SchemaFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.pointer.is_empty() {
            write!(f, "the schema {}", self.problem)
        } else {
            write!(f, "the schema at `{}` {}", self.pointer, self.problem)
        }
    }
}

impl std::error::Error for SchemaFault {}

/// A schema while it is rewritten.
type Keywords = Map<String, Value>;

#[cfg(test)]
mod tests;
