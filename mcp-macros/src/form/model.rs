//! A form after all checks: what the expansion prints.

use syn::{Ident, LitStr, Path, Type};

/// What a type is in a form.
pub(crate) enum Shape {
    Form(Form),
    Choice(Choice),
}

/// A struct.
pub(crate) struct Form {
    pub(crate) ident: Ident,
    pub(crate) krate: Option<Path>,
    pub(crate) fields: Vec<Field>,
}

/// A field.
pub(crate) struct Field {
    /// On the wire.
    pub(crate) name: String,
    pub(crate) title: Option<LitStr>,
    pub(crate) ty: Type,
}

/// An enum of unit variants.
pub(crate) struct Choice {
    pub(crate) ident: Ident,
    pub(crate) krate: Option<Path>,
    /// Names on the wire with their titles, for those that have one.
    pub(crate) titles: Vec<(String, LitStr)>,
}
