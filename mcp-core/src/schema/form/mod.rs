//! Forms: the restricted schema of a question that a person answers.
//!
//! A form is one flat object whose fields are text, numbers, yes/no, one choice or several choices.
//! [`FormSchema`] reads and writes exactly that shape, keeps the order in which fields were declared,
//! checks answers, and names field and constraint (never the answer) where something does not fit.
//!
//! Specification: client/elicitation, Requested Schema.
//!
//! ```
//! use mcp_core::schema::FormSchema;
//! use serde_json::json;
//!
//! let form = FormSchema::new()
//!     .choice("reason", ["damaged in transit", "changed mind"], |f| f)
//!     .string("note", |f| f.description("Anything else?").max_length(200).optional());
//!
//! assert!(form.validate_value(&json!({"reason": "changed mind"})).is_ok());
//! let violations = form.validate_value(&json!({"reason": "bored"})).unwrap_err();
//! assert_eq!(
//!     violations[0].to_string(),
//!     "`reason` must be one of \"damaged in transit\", \"changed mind\"",
//! );
//! ```

mod build;
mod check;
mod convert;
mod faults;
mod field;
mod format;
mod model;
mod wire;

pub use build::FieldBuilder;
pub use check::FormViolation;
pub use faults::FormFault;
pub use field::{
    BooleanField, ChoiceField, FieldKind, MultiChoiceField, NumberField, Options, StringField,
    StringFormat, TitledOption,
};
pub use model::{FormField, FormSchema};

#[cfg(test)]
mod tests;
