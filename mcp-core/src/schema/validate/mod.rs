//! Values against schemas: everything that does not fit, in sentences from which a model can correct itself.
//!
//! A [`Validator`] is compiled once from a schema of the [dialect](super::dialect) (or one that uses no more than the
//! keywords that it knows) and then checks values without looking at the schema again.
//!
//! What it decides where JSON Schema leaves room, or our readers do not follow it:
//!
//! * Integers are exact up to 64 bits, `5.0` is one, and a number beyond 64 bits is none.
//! * `null` counts as absent for a property that is not required.
//! * `format` is not checked: the types that carry one parse it.
//! * `pattern` needs a matcher from the caller, see [`Validator::with_patterns`]; this crate has no engine for regular
//!   expressions, and a constraint that is served but never checked would be a lie.
//! * Values nested deeper than [`MAX_DEPTH`] are refused, and so are those that take too long, because of what a schema asks of
//!   one value again and again; no more than [`MAX_VIOLATIONS`] misfits are reported.

mod check;
mod compile;
mod equality;
pub(in crate::schema) mod node;
mod violation;
mod words;

use std::fmt;

use serde_json::Value;

use super::dialect::SchemaFault;
use node::Node;

pub use violation::{Received, Violation};

/// Values may be nested this deep, which is more than the parser of JSON admits.
pub const MAX_DEPTH: usize = 160;

/// References and alternatives within each other, around one value: a schema may ask for itself without going deeper.
pub(in crate::schema) const MAX_HOPS: usize = 32;

/// All schemas within each other: those of a value, of the values around it, and what stands between them. A deep value under
/// schemas that go round at each level must fit on the stack of a thread, which is 2 MiB most of the time.
pub(in crate::schema) const MAX_STACKED: usize = 1024;

/// A value with more misfits than this is reported by the first ones only.
pub const MAX_VIOLATIONS: usize = 64;

/// Tells whether a text matches one pattern.
pub type PatternMatcher = Box<dyn Fn(&str) -> bool + Send + Sync>;

/// A compiled schema.
pub struct Validator {
    root: Node,
    definitions: Vec<Node>,
    has_constraints: bool,
}

impl Validator {
    /// Compiles a schema without patterns.
    ///
    /// # Errors
    ///
    /// Every keyword that is malformed, unknown to this validator, or `pattern`.
    ///
    /// ```
    /// use mcp_core::schema::Validator;
    /// use serde_json::json;
    ///
    /// let validator = Validator::new(&json!({
    ///     "type": "object",
    ///     "properties": {"max_depth": {"type": "integer", "minimum": 1}},
    ///     "additionalProperties": false,
    /// }))?;
    /// let violations = validator.validate(&json!({"depth": 1})).unwrap_err();
    /// assert_eq!(violations[0].to_string(), "unknown argument `depth`; known arguments: `max_depth`");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(schema: &Value) -> Result<Self, SchemaFaults> {
        Self::with_patterns(schema, |_| {
            Err(
                "needs a matcher for `pattern`, and none was given: give one, or drop the pattern"
                    .to_owned(),
            )
        })
    }

    /// Compiles a schema; `compile` makes a matcher of each `pattern`, or says what is wrong with it as the
    /// continuation of a sentence about the schema.
    ///
    /// # Errors
    ///
    /// Every keyword that is malformed or unknown to this validator, and what `compile` refuses.
    pub fn with_patterns(
        schema: &Value,
        compile: impl Fn(&str) -> Result<PatternMatcher, String>,
    ) -> Result<Self, SchemaFaults> {
        compile::compile(schema, &compile)
    }

    /// Whether the schema contains a constraint that decoding into Rust types does not enforce: lengths, patterns, bounds
    /// of numbers other than those that a whole Rust type has, counts of items, closed objects below the root.
    ///
    /// From a schema alone this is a guess on the safe side of everything but `minimum: 0` and the bounds of Rust's integer
    /// types, which are taken for the types' own. [`Dialect::has_constraints`](super::Dialect::has_constraints) knows
    /// the types and is exact there.
    #[must_use]
    pub fn has_constraints(&self) -> bool {
        self.has_constraints
    }
}

impl fmt::Debug for Validator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Validator")
            .field("has_constraints", &self.has_constraints)
            .finish_non_exhaustive()
    }
}

/// Why a schema cannot be compiled: at least one fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaFaults(pub Vec<SchemaFault>);

impl fmt::Display for SchemaFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, fault) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str("; ")?;
            }
            fault.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for SchemaFaults {}

#[cfg(test)]
mod tests;
