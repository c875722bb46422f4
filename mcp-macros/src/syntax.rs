//! Small helpers around `syn`: types without invisible groups, names without `r#`, entries of an attribute.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitStr, PathSegment, Token, Type};

use crate::errors::Errors;

/// Located where the user wrote something, but resolved as ours: local names do not clash with the user's, and
/// lints know that a macro wrote it.
pub(crate) fn ours(span: Span) -> Span {
    Span::mixed_site().located_at(span)
}

/// The span of the first token: what error positions fall back to on a stable compiler anyway.
pub(crate) fn first_span(tokens: impl ToTokens) -> Span {
    let first = tokens.into_token_stream().into_iter().next();
    first.map_or_else(Span::call_site, |token| token.span())
}

/// The same tokens, located where they were but as if a macro had written them: lints leave them alone.
pub(crate) fn as_ours(tokens: impl ToTokens) -> TokenStream {
    let respan = |mut token: TokenTree| {
        if let TokenTree::Group(group) = &token {
            let mut inner = proc_macro2::Group::new(group.delimiter(), as_ours(group.stream()));
            inner.set_span(Span::call_site().located_at(group.span()));
            return TokenTree::Group(inner);
        }
        token.set_span(Span::call_site().located_at(token.span()));
        token
    };
    tokens.into_token_stream().into_iter().map(respan).collect()
}

/// A name as it goes over the wire: `r#type` is `type`.
pub(crate) fn plain(ident: &Ident) -> String {
    ident.unraw().to_string()
}

/// The type without the parentheses and invisible groups around it (a `$t:ty` of `macro_rules!` has one).
pub(crate) fn peel(mut ty: &Type) -> &Type {
    loop {
        ty = match ty {
            Type::Group(group) => &group.elem,
            Type::Paren(paren) => &paren.elem,
            _ => return ty,
        };
    }
}

/// The last segment of a plain path type.
pub(crate) fn last_segment(ty: &Type) -> Option<&PathSegment> {
    match peel(ty) {
        Type::Path(path) if path.qself.is_none() => path.path.segments.last(),
        _ => None,
    }
}

/// The one type argument of `Name<T>`.
pub(crate) fn only_argument(segment: &PathSegment) -> Option<&Type> {
    let syn::PathArguments::AngleBracketed(arguments) = &segment.arguments else {
        return None;
    };
    match arguments.args.first() {
        Some(syn::GenericArgument::Type(ty)) if arguments.args.len() == 1 => Some(ty),
        _ => None,
    }
}

/// A string literal, also inside invisible groups.
pub(crate) fn string_literal(expr: &Expr) -> Option<&LitStr> {
    match expr {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Some(text),
        Expr::Group(group) => string_literal(&group.expr),
        _ => None,
    }
}

/// The last segment of an attribute's path: `tool` of `#[mcp_server::tool]`.
pub(crate) fn attribute_name(attribute: &Attribute) -> Option<&Ident> {
    attribute
        .path()
        .segments
        .last()
        .map(|segment| &segment.ident)
}

/// The attributes that decide whether an item exists.
pub(crate) fn cfgs(attributes: &[Attribute]) -> Vec<Attribute> {
    attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("cfg"))
        .cloned()
        .collect()
}

/// Reads comma-separated entries with `entry`; one bad entry does not hide the faults of the next.
pub(crate) fn entries(
    tokens: TokenStream,
    errors: &mut Errors,
    mut entry: impl FnMut(ParseStream<'_>) -> syn::Result<()>,
) {
    let mut found = Vec::new();
    let parser = |input: ParseStream<'_>| {
        while !input.is_empty() {
            if let Err(error) = entry(input) {
                found.push(error);
                skip_entry(input)?;
            }
            if input.is_empty() {
                break;
            }
            if !input.peek(Token![,]) {
                found.push(input.error("expected `,`"));
                skip_entry(input)?;
            }
            input.parse::<Option<Token![,]>>()?;
        }
        Ok(())
    };
    let result = parser.parse2(tokens);
    found.into_iter().for_each(|error| errors.push(error));
    errors.keep(result);
}

fn skip_entry(input: ParseStream<'_>) -> syn::Result<()> {
    while !input.is_empty() && !input.peek(Token![,]) {
        input.parse::<TokenTree>()?;
    }
    Ok(())
}

/// The entries of one helper attribute such as `#[serde(..)]`.
pub(crate) fn attribute_entries(
    attribute: &Attribute,
    errors: &mut Errors,
    entry: impl FnMut(ParseStream<'_>) -> syn::Result<()>,
) {
    match attribute.meta.require_list() {
        Ok(list) => entries(list.tokens.clone(), errors, entry),
        Err(error) => errors.push(error),
    }
}

/// Whatever is left of one entry after its key: nothing, `= value` or `(..)`.
pub(crate) fn skip_value(input: ParseStream<'_>) -> syn::Result<()> {
    skip_entry(input)
}

/// `= "text"`
pub(crate) fn text_value(input: ParseStream<'_>) -> syn::Result<LitStr> {
    input.parse::<Token![=]>()?;
    input.parse()
}

/// Whether an item is an `impl` block, seen from its first word after the attributes.
pub(crate) fn is_impl(item: &proc_macro2::TokenStream) -> bool {
    item.clone()
        .into_iter()
        .find_map(|token| match token {
            proc_macro2::TokenTree::Ident(word) if word == "unsafe" || word == "default" => None,
            proc_macro2::TokenTree::Ident(word) => Some(word == "impl"),
            _ => None,
        })
        .unwrap_or_default()
}
