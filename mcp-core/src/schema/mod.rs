//! Schemas, as plain functions over JSON values: the forms that people fill in, the one dialect
//! that every host accepts, and the checks of values against both.
//!
//! * [`FormSchema`] is the specification's restricted form schema as a type. It is built by hand or
//!   converted from a derived JSON schema, and says in words what does not fit.

pub mod form;

mod numbers;

pub use form::{FieldKind, FormFault, FormField, FormSchema, FormViolation};
