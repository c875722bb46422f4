//! Forms: a struct of the user's as the specification's restricted form schema.

use std::sync::OnceLock;

use mcp_core::schema::FormSchema;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::de::DeserializeOwned;

use crate::state::Digest;

/// A struct that can be shown to a person as a form and read back.
///
/// Derive it beside serde's `Deserialize` and schemars' `JsonSchema`; the derive proves that the
/// form is flat.
///
/// Specification: client/elicitation, Requested Schema.
///
/// ```
/// use mcp_server::prelude::*;
///
/// #[derive(Deserialize, JsonSchema, Form)]
/// struct Return {
///     /// Why does it come back?
///     reason: Reason,
///     /// Put it back on the shelf?
///     #[serde(default)]
///     restock: bool,
///     /// Anything else?
///     #[schemars(length(max = 200))]
///     note: Option<String>,
/// }
///
/// #[derive(Deserialize, JsonSchema, Form)]
/// enum Reason {
///     #[form(title = "Damaged in transit")]
///     Damaged,
///     #[form(title = "Wrong item sent")]
///     WrongItem,
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a form",
    label = "cannot be shown as a form",
    note = "derive it: `#[derive(Deserialize, JsonSchema, Form)]` on a struct of plain fields; for yes or no, of one `bool`"
)]
pub trait Form: DeserializeOwned + JsonSchema + Send + 'static {
    /// The form, rendered once.
    #[doc(hidden)]
    fn form() -> &'static RenderedForm;
}

/// A type that may stand in a field of a form.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field of a form",
    label = "forms are flat: text, numbers, yes or no, and choices",
    note = "use String, bool, an integer, f32 or f64, an enum of unit variants that derives Form, a Vec of such an enum, or an Option of these"
)]
pub trait FormField {
    /// The titles of a choice's variants, by their names on the wire.
    fn titles() -> &'static [(&'static str, &'static str)] {
        &[]
    }
}

/// An enum of unit variants: one choice of a form.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a choice of a form",
    label = "a list in a form holds choices only",
    note = "derive Form on an enum of unit variants"
)]
pub trait FormChoice {
    const TITLES: &'static [(&'static str, &'static str)];
}

macro_rules! fields {
    ($($type:ty)*) => { $(impl FormField for $type {})* };
}
fields!(String bool i8 i16 i32 i64 u8 u16 u32 u64 isize usize f32 f64);

impl<F: FormField> FormField for Option<F> {
    fn titles() -> &'static [(&'static str, &'static str)] {
        F::titles()
    }
}

impl<C: FormChoice> FormField for Vec<C> {
    fn titles() -> &'static [(&'static str, &'static str)] {
        C::TITLES
    }
}

/// A field, as the derive describes it.
#[derive(Debug)]
pub struct FieldSpec {
    /// The name on the wire.
    pub name: &'static str,
    /// What a person sees in place of the name.
    pub title: Option<&'static str>,
    /// The titles of a choice's variants.
    pub titles: fn() -> &'static [(&'static str, &'static str)],
}

/// A form with its schema as ready bytes.
#[derive(Debug)]
pub struct RenderedForm {
    schema: FormSchema,
    json: String,
    /// Of the JSON: a question is pinned by it.
    digest: Digest,
    faults: Vec<String>,
}

impl RenderedForm {
    /// Renders the form of `T`; what does not fit is kept for `build()` to report.
    pub fn of<T: JsonSchema>(fields: &[FieldSpec]) -> Self {
        let generator = SchemaSettings::draft2020_12().into_generator();
        let root = generator.into_root_schema_for::<T>();
        let (mut schema, faults) = match FormSchema::from_json_schema(root.as_value()) {
            Ok(schema) => (schema, Vec::new()),
            Err(faults) => (
                FormSchema::new(),
                faults.iter().map(ToString::to_string).collect(),
            ),
        };
        for field in fields {
            let Some(found) = schema.field_mut(field.name) else {
                continue;
            };
            if let Some(title) = field.title {
                found.title = Some(title.to_owned());
            }
            let titles = (field.titles)();
            if !titles.is_empty() {
                found.kind = found.kind.clone().with_titles(titles);
            }
        }
        let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
        let schema = schema.in_order(&names);
        let json = serde_json::to_string(&schema).unwrap_or_else(|_| "{}".to_owned());
        Self {
            schema,
            digest: Digest::of_parts("form", &[json.as_bytes()]),
            json,
            faults,
        }
    }

    pub(crate) fn schema(&self) -> &FormSchema {
        &self.schema
    }

    pub(crate) fn digest(&self) -> &Digest {
        &self.digest
    }

    pub(crate) fn json(&self) -> &str {
        &self.json
    }

    /// Why the form cannot be shown, if it cannot.
    pub(crate) fn fault(&self) -> Option<String> {
        (!self.faults.is_empty()).then(|| self.faults.join("; "))
    }
}

/// Where a derive keeps its form.
pub type FormCell = OnceLock<RenderedForm>;
