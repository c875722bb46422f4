//! The output schema: made when the server is built, compared with structured results where that
//! is wanted.

use mcp_core::schema::{DialectOptions, Validator, needs_wrapping, wrap_result};
use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::{
    result::wrap,
    schema::{dialect, join, validator, with_definitions},
};
use crate::{faults::FunctionFaults, spec::FunctionSpec};

/// An output schema in both of its forms.
pub(crate) struct Output {
    /// What the client sees.
    pub(crate) listed: Value,
    pub(crate) compared: OutputSchema,
}

/// What structured results are compared with.
pub(crate) struct OutputSchema {
    validator: Validator,
    /// Whether structured results stand under the name `result`.
    pub(crate) wrapped: bool,
}

impl Output {
    /// Makes a tool's schema: `Some(None)` where it gives no structured results, and `None` where
    /// there are faults.
    pub(crate) fn of(spec: &FunctionSpec, faults: &mut FunctionFaults<'_>) -> Option<Option<Self>> {
        let Some(schema) = spec.output.schema else {
            return Some(None);
        };
        let mut generator = SchemaSettings::draft2020_12()
            .for_serialize()
            .into_generator();
        let root = with_definitions(schema(&mut generator), &mut generator);
        let mut dialect = dialect(root, DialectOptions::result(), faults, "its result: ")?;
        let wrapped = needs_wrapping(&dialect.schema);
        if wrapped {
            dialect.exact = dialect.exact.map(wrap_result);
            dialect.schema = wrap_result(dialect.schema);
        }
        Some(Some(Self {
            compared: OutputSchema {
                validator: validator(&dialect, faults)?,
                wrapped,
            },
            listed: dialect.schema,
        }))
    }
}

impl OutputSchema {
    /// Compares a structured result with the schema.
    ///
    /// # Errors
    ///
    /// What does not fit, for the log.
    pub(crate) fn check(&self, json: &str) -> Result<(), String> {
        let json = if self.wrapped {
            wrap(json)
        } else {
            json.to_owned()
        };
        let value: Value = serde_json::from_str(&json).map_err(|e| e.to_string())?;
        self.validator
            .validate(&value)
            .map_err(|violations| join(&violations))
    }
}
