//! The rules for a form: one flat object of plain fields.

use syn::{Data, DataEnum, DataStruct, DeriveInput, Field as Declared, Fields, Variant};

use super::attributes::{Attributes, Place};
use super::model::{Choice, Field, Form, Shape};
use super::secret::is_secret;
use crate::errors::Errors;
use crate::syntax::plain;

/// What the type is, for a stand-in also where it has faults.
pub(super) fn shape(input: &DeriveInput, errors: &mut Errors) -> Option<Shape> {
    let container = Attributes::parse(&input.attrs, Place::Container, errors);
    if let Some(parameter) = input.generics.params.first() {
        errors.on(
            parameter,
            "a form cannot be generic: write one type for each form",
        );
        return None;
    }
    match &input.data {
        Data::Struct(data) => Some(Shape::Form(form(input, data, container, errors))),
        Data::Enum(data) => Some(Shape::Choice(choice(input, data, container, errors))),
        Data::Union(data) => {
            errors.on(
                data.union_token,
                "a union cannot be a form: write a struct with named fields",
            );
            None
        }
    }
}

fn form(
    input: &DeriveInput,
    data: &DataStruct,
    container: Attributes,
    errors: &mut Errors,
) -> Form {
    let mut form = Form {
        ident: input.ident.clone(),
        krate: container.krate.clone(),
        fields: Vec::new(),
    };
    match &data.fields {
        Fields::Named(fields) => {
            form.fields = fields
                .named
                .iter()
                .map(|declared| field(declared, &container, errors))
                .collect()
        }
        Fields::Unnamed(fields) => errors.on(
            fields,
            "the fields of a form need names: write `{ name: Type }`",
        ),
        Fields::Unit => errors.on(
            &input.ident,
            format!("a form is an object: write `struct {} {{}}`", input.ident),
        ),
    }
    form
}

fn field(declared: &Declared, container: &Attributes, errors: &mut Errors) -> Field {
    let attributes = Attributes::parse(&declared.attrs, Place::Field, errors);
    let rust_name = declared.ident.as_ref().map(plain).unwrap_or_default();
    let name = match (&attributes.rename, container.rename_all) {
        (Some(name), _) => name.value(),
        (None, Some(case)) => case.field(&rust_name),
        (None, None) => rust_name.clone(),
    };
    if !attributes.not_secret && (is_secret(&rust_name) || is_secret(&name)) {
        let message = format!(
            "`{rust_name}` looks like a secret, and a form passes through the client in clear text: ask on a page of your own with `Ask::url`, or write `#[form(not_secret)]` if it is none"
        );
        errors.on(&declared.ident, message);
    }
    Field {
        name,
        title: attributes.title,
        ty: declared.ty.clone(),
    }
}

fn choice(
    input: &DeriveInput,
    data: &DataEnum,
    container: Attributes,
    errors: &mut Errors,
) -> Choice {
    if data.variants.is_empty() {
        errors.on(
            &input.ident,
            "a choice needs something to choose: add a variant",
        );
    }
    let titles = data
        .variants
        .iter()
        .filter_map(|declared| variant(declared, &container, errors))
        .collect();
    Choice {
        ident: input.ident.clone(),
        krate: container.krate,
        titles,
    }
}

fn variant(
    declared: &Variant,
    container: &Attributes,
    errors: &mut Errors,
) -> Option<(String, syn::LitStr)> {
    if !matches!(declared.fields, Fields::Unit) {
        errors.on(&declared.fields, "a choice has plain variants only: remove the fields, or ask for them in fields of the form");
    }
    let attributes = Attributes::parse(&declared.attrs, Place::Variant, errors);
    let rust_name = plain(&declared.ident);
    let name = match (attributes.rename, container.rename_all) {
        (Some(name), _) => name.value(),
        (None, Some(case)) => case.variant(&rust_name),
        (None, None) => rust_name,
    };
    attributes.title.map(|title| (name, title))
}
