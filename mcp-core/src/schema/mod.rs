//! Schemas, as plain functions over JSON values: the forms that people fill in, the one dialect
//! that every host accepts, and the checks of values against both.
//!
//! * [`FormSchema`] is the specification's restricted form schema as a type. It is built by hand or
//!   converted from a derived JSON schema, and says in words what does not fit.
//! * [`to_dialect`] rewrites a derived JSON schema into the [dialect]; [`wrap_result`] makes an object
//!   of a result that is none.
//! * [`Validator`] checks values against such a schema, and [`coerce()`] rewrites the few that fit the schema and
//!   not the decoder.
//! * [`header_parameters`] tells which arguments are mirrored into headers.
//! * [`assert_provider_safe`] is for tests: it walks a schema and tells every breach of the dialect.
//!
//! The only map here is the JSON object, changed by the functions of `object`: each other type of map, and each that is
//! sorted, is some 8 KB more in every server.

pub mod dialect;
pub mod form;
pub mod validate;

mod coerce;
mod header;
mod numbers;
mod object;
mod place;
mod provider;

pub use coerce::coerce;
pub use dialect::{Dialect, DialectOptions, SchemaFault, needs_wrapping, to_dialect, wrap_result};
pub use form::{FieldKind, FormFault, FormField, FormSchema, FormViolation};
pub use header::{HeaderParameter, header_parameters};
pub use numbers::integral;
pub use provider::{assert_provider_safe, check_provider_safe};
pub use validate::{Received, SchemaFaults, Validator, Violation};
