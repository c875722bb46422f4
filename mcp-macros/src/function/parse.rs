//! Reads a function without reading its body, so that a body which does not parse (somebody is typing in it)
//! is still a function whose names complete.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Ident, Signature, Token, Visibility};

use super::Kind;

/// A function with its body left as tokens.
pub(super) struct Item {
    pub(super) attributes: Vec<Attribute>,
    pub(super) visibility: Visibility,
    pub(super) signature: Signature,
}

impl Item {
    pub(super) fn parse(kind: Kind, item: TokenStream) -> syn::Result<Self> {
        (|input: ParseStream<'_>| Self::read(kind, input)).parse2(item)
    }

    fn read(kind: Kind, input: ParseStream<'_>) -> syn::Result<Self> {
        let name = kind.name();
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        if !starts_function(input) {
            return Err(input.error(format!(
                "`{name}` goes on a function, or on an `impl` block and its methods"
            )));
        }
        let signature: Signature = input.parse()?;
        match input.parse::<TokenTree>() {
            Ok(TokenTree::Group(body)) if body.delimiter() == Delimiter::Brace => {}
            _ => {
                return Err(syn::Error::new_spanned(
                    &signature.ident,
                    format!("a {name} needs a body: write it in `{{ .. }}`"),
                ));
            }
        }
        if !input.is_empty() {
            return Err(input.error("expected nothing after the function"));
        }
        Ok(Self {
            attributes,
            visibility,
            signature,
        })
    }
}

fn starts_function(input: ParseStream<'_>) -> bool {
    let is_modifier =
        |token: ParseStream<'_>| token.peek(Token![async]) || token.peek(Token![unsafe]);
    input.peek(Token![fn])
        || is_modifier(input)
        || (input.peek(Token![extern]) && !input.peek2(Token![crate]))
        || (input.peek(Token![const])
            && (input.peek2(Token![fn])
                || input.peek2(Token![async])
                || input.peek2(Token![unsafe])
                || input.peek2(Token![extern])))
}

/// The name after `fn`, for what must be generated even when the signature does not parse.
pub(super) fn name_of(item: &TokenStream) -> Option<Ident> {
    let mut tokens = item.clone().into_iter();
    tokens.find(|token| matches!(token, TokenTree::Ident(ident) if ident == "fn"))?;
    match tokens.next() {
        Some(TokenTree::Ident(name)) => Some(name),
        _ => None,
    }
}
