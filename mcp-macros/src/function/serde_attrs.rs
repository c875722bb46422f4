//! `#[serde(..)]` on a parameter.

use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Ident, LitStr, Path, Token};

use super::model::{Argument, Default};
use crate::errors::Errors;
use crate::names;
use crate::syntax::{attribute_entries, text_value};

const KEYS: [&str; 5] = ["rename", "alias", "default", "deserialize_with", "with"];

/// Applies one attribute to an argument.
pub(super) fn apply(attribute: &Attribute, argument: &mut Argument, errors: &mut Errors) {
    attribute_entries(attribute, errors, |input| entry(input, argument));
}

fn entry(input: ParseStream<'_>, argument: &mut Argument) -> syn::Result<()> {
    let key: Ident = input.parse()?;
    match key.to_string().as_str() {
        "rename" => argument.name = wire_name(input)?,
        "alias" => argument.aliases.push(wire_name(input)?),
        "default" if input.peek(Token![=]) => {
            argument.default = Some(Default::Path(path(&text_value(input)?)?))
        }
        "default" => argument.default = Some(Default::Trait),
        "deserialize_with" => argument.deserialize_with = Some(path(&text_value(input)?)?),
        "with" => {
            let mut module = path(&text_value(input)?)?;
            module
                .segments
                .push(Ident::new("deserialize", key.span()).into());
            argument.deserialize_with = Some(module);
        }
        other => {
            let message = format!(
                "{} (a struct can have the others: take it as `Args<T>`)",
                names::unknown("a parameter has no serde attribute", other, &KEYS)
            );
            return Err(syn::Error::new(key.span(), message));
        }
    }
    Ok(())
}

fn wire_name(input: ParseStream<'_>) -> syn::Result<String> {
    let name = text_value(input)?;
    if name.value().is_empty() {
        return Err(syn::Error::new(
            name.span(),
            "the name of an argument is not empty",
        ));
    }
    Ok(name.value())
}

/// A path in quotes, located at the quotes.
fn path(text: &LitStr) -> syn::Result<Path> {
    let parsed = text.parse_with(|input: ParseStream<'_>| input.parse::<Path>());
    parsed.map_err(|_| {
        syn::Error::new(
            text.span(),
            format!(
                "expected the path of a function in quotes, found \"{}\"",
                text.value()
            ),
        )
    })
}

/// A type in quotes, located at the quotes.
pub(super) fn quoted_type(text: &LitStr) -> syn::Result<syn::Type> {
    let parser = |input: ParseStream<'_>| input.parse::<syn::Type>();
    let tokens: syn::Result<proc_macro2::TokenStream> = text.parse();
    tokens
        .and_then(|tokens| parser.parse2(tokens))
        .map_err(|_| {
            syn::Error::new(
                text.span(),
                format!("expected a type in quotes, found \"{}\"", text.value()),
            )
        })
}
