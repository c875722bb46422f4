//! `#[complete(function)]` and `#[complete("a", "b")]` on an argument of a prompt or a variable of a resource.

use proc_macro2::TokenStream;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, LitStr, Meta, Path, Token};

use super::Kind;
use super::model::Complete;
use crate::errors::Errors;

const USAGE: &str = "write `#[complete(function)]` or `#[complete(\"first\", \"second\")]`";

/// What one attribute says.
pub(super) fn parse(attribute: &Attribute, errors: &mut Errors) -> Option<Complete> {
    let Meta::List(list) = &attribute.meta else {
        errors.on(attribute, format!("`complete` needs its values: {USAGE}"));
        return None;
    };
    let tokens: TokenStream = list.tokens.clone();
    if tokens.is_empty() {
        errors.on(attribute, format!("`complete` needs its values: {USAGE}"));
        return None;
    }
    errors.keep(complete.parse2(tokens))
}

/// Why there is nothing to complete in a function of this kind.
pub(super) fn refusal(kind: Kind) -> Option<String> {
    (kind == Kind::Tool).then(|| {
        "the protocol completes arguments of prompts and variables of resources, not of tools: remove `complete`, and take an enum where the values are known".to_owned()
    })
}

fn complete(input: ParseStream<'_>) -> syn::Result<Complete> {
    if input.peek(LitStr) {
        return values(input).map(Complete::List);
    }
    if input.peek(Token![|]) || input.peek(Token![move]) || input.peek(Token![async]) {
        return Err(input.error(format!(
            "`complete` takes the name of a function, and a closure has none: {USAGE}"
        )));
    }
    let function: Path = input
        .parse()
        .map_err(|error| syn::Error::new(error.span(), format!("expected a path: {USAGE}")))?;
    if input.peek(syn::token::Paren) {
        return Err(input.error(
            "the function is called for each completion: write its name alone, without `(..)`",
        ));
    }
    if !input.is_empty() {
        return Err(input.error(format!(
            "`complete` takes one function or a list of texts: {USAGE}"
        )));
    }
    Ok(Complete::Function(function))
}

fn values(input: ParseStream<'_>) -> syn::Result<Vec<String>> {
    let mut values = Vec::new();
    while !input.is_empty() {
        let value: LitStr = input.parse().map_err(|error| {
            let message = format!("`complete` takes one function or a list of texts: {USAGE}");
            syn::Error::new(error.span(), message)
        })?;
        if values.contains(&value.value()) {
            let message = format!("\"{}\" is there twice: keep one", value.value());
            return Err(syn::Error::new(value.span(), message));
        }
        values.push(value.value());
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    Ok(values)
}
