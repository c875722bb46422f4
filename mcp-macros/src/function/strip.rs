//! Gives the user's item back as written, without the attributes that only the macros understand.
//!
//! Works on tokens, so it does the same for an item that does not parse.

use std::slice;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use syn::Attribute;
use syn::parse::{ParseStream, Parser};

use super::{Kind, mention};

/// What a parameter may carry for us; `rustc` allows none of them there.
const ON_PARAMETERS: [&str; 7] = [
    "doc", "serde", "schemars", "elicit", "resolve", "complete", "header",
];

/// A function without the macros' attributes on its parameters, and without the marks of other kinds, which are
/// refused: their macros would say it again in other words.
pub(super) fn function(kind: Kind, item: TokenStream) -> TokenStream {
    let is_other = |attribute: &Attribute| kind.other_mark(slice::from_ref(attribute)).is_some();
    let item = if may_have_marks(item.clone()) {
        split(item, is_other).1
    } else {
        item
    };
    item.into_iter()
        .map(|token| in_group(token, Delimiter::Parenthesis, parameters))
        .collect()
}

/// An `impl` block without the marks of one kind, and without the attributes on the parameters of the methods that have
/// one.
pub(super) fn impl_block(kind: Kind, item: TokenStream) -> TokenStream {
    let method = |member| match split_mark(kind, member) {
        (Some(_), rest) => function(kind, rest),
        (None, member) => member,
    };
    item.into_iter()
        .map(|token| {
            in_group(token, Delimiter::Brace, |content| {
                members(content).into_iter().flat_map(method).collect()
            })
        })
        .collect()
}

/// Whether an attribute of an item is named like a mark: most items have none, and need not be parsed for that.
fn may_have_marks(item: TokenStream) -> bool {
    let attributes = item.into_iter().take_while(|token| match token {
        TokenTree::Punct(punct) => punct.as_char() == '#',
        TokenTree::Group(group) => group.delimiter() != Delimiter::Parenthesis,
        TokenTree::Ident(_) | TokenTree::Literal(_) => false,
    });
    let mut words = attributes.filter_map(|token| match token {
        TokenTree::Group(group) => Some(group.stream()),
        _ => None,
    });
    words.any(|attribute| {
        attribute.into_iter().any(|token| match token {
            TokenTree::Ident(word) => Kind::ALL.iter().any(|kind| word == kind.name()),
            TokenTree::Group(group) => group.delimiter() == Delimiter::None,
            _ => false,
        })
    })
}

/// The members of an `impl` block, each as its tokens. Cuts after every `;` and `{ .. }`: a constant with braces
/// in it makes two, which does no harm, as only what begins with a mark is looked at.
pub(super) fn members(content: TokenStream) -> Vec<TokenStream> {
    let mut members = vec![TokenStream::new()];
    for token in content {
        let ends = match &token {
            TokenTree::Punct(punct) => punct.as_char() == ';',
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
            _ => false,
        };
        if let Some(member) = members.last_mut() {
            member.extend([token]);
        }
        if ends {
            members.push(TokenStream::new());
        }
    }
    members.retain(|member| !member.is_empty());
    members
}

/// The mark of a member and the rest of it.
pub(super) fn split_mark(kind: Kind, member: TokenStream) -> (Option<Attribute>, TokenStream) {
    split(member, |attribute| kind.is_mark(attribute))
}

/// The first attribute that is one of those, and the item without any of them.
fn split(
    item: TokenStream,
    is_one: impl Fn(&Attribute) -> bool,
) -> (Option<Attribute>, TokenStream) {
    let parser = |input: ParseStream<'_>| {
        let attributes = input.call(Attribute::parse_outer)?;
        Ok((attributes, input.parse::<TokenStream>()?))
    };
    let Ok((attributes, rest)) = parser.parse2(item.clone()) else {
        return (None, item);
    };
    let Some(first) = attributes.iter().find(|one| is_one(one)).cloned() else {
        return (None, item);
    };
    let kept = attributes.iter().filter(|attribute| !is_one(attribute));
    (Some(first), quote::quote!(#(#kept)* #rest))
}

fn in_group(
    token: TokenTree,
    delimiter: Delimiter,
    change: impl Fn(TokenStream) -> TokenStream,
) -> TokenTree {
    match token {
        TokenTree::Group(group) if group.delimiter() == delimiter => {
            let mut changed = Group::new(delimiter, change(group.stream()));
            changed.set_span(group.span());
            TokenTree::Group(changed)
        }
        other => other,
    }
}

fn parameters(content: TokenStream) -> TokenStream {
    let mut kept = Vec::new();
    let mut read = Vec::new();
    let mut tokens = content.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let is_pound = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '#');
        match tokens.peek() {
            Some(TokenTree::Group(group)) if is_pound && is_ours(group) => {
                if is_question(group) {
                    mention::scan(group.stream(), &mut |name, _| read.push(name.to_owned()));
                }
                tokens.next();
            }
            _ => kept.push(token),
        }
    }
    allow_unused(&kept, &read).into_iter().collect()
}

/// A parameter that a question reads is used, although the body may not mention it.
fn allow_unused(tokens: &[TokenTree], read: &[String]) -> Vec<TokenTree> {
    let mut allowed = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let starts = match index.checked_sub(1).map(|before| &tokens[before]) {
            None => true,
            Some(TokenTree::Punct(punct)) => punct.as_char() == ',',
            Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::Bracket,
            Some(_) => false,
        };
        let declares = matches!(tokens.get(index + 1), Some(TokenTree::Punct(punct))
            if punct.as_char() == ':' && punct.spacing() == proc_macro2::Spacing::Alone);
        if let TokenTree::Ident(name) = token
            && starts
            && declares
        {
            let name = name.to_string();
            if read
                .iter()
                .any(|read| *read == name.trim_start_matches("r#"))
            {
                allowed.extend(quote::quote!(#[allow(unused_variables)]));
            }
        }
        allowed.push(token.clone());
    }
    allowed
}

fn is_ours(group: &Group) -> bool {
    group.delimiter() == Delimiter::Bracket
        && first_ident(group.stream()).is_some_and(|name| ON_PARAMETERS.contains(&name.as_str()))
}

fn is_question(group: &Group) -> bool {
    first_ident(group.stream()).is_some_and(|name| name == "elicit" || name == "resolve")
}

fn first_ident(tokens: TokenStream) -> Option<String> {
    match tokens.into_iter().next()? {
        TokenTree::Ident(ident) => Some(ident.to_string()),
        // The `$meta:meta` of a `macro_rules!`.
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
            first_ident(group.stream())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    #[test]
    fn only_our_parameter_attributes_go() {
        let given = quote! {
            #[inline] pub(crate) async fn f(#[doc = " a"] #[allow(unused)] a: u8, #[elicit("x {a}")] b: Elicit<C>, #[complete(b)] #[header("D")] d: u8) -> T { #[doc = "in"] let x; }
        };
        let kept = quote! {
            #[inline] pub(crate) async fn f(#[allow(unused)] #[allow(unused_variables)] a: u8, b: Elicit<C>, d: u8) -> T { #[doc = "in"] let x; }
        };
        assert_eq!(function(Kind::Tool, given).to_string(), kept.to_string());
    }

    #[test]
    fn an_item_that_does_not_parse_comes_back_too() {
        let given = quote! { fn f(#[serde(default)] a: , b) -> { a. } };
        assert_eq!(
            function(Kind::Tool, given).to_string(),
            quote! { fn f(a: , b) -> { a. } }.to_string()
        );
    }

    #[test]
    fn unmarked_methods_are_left_alone() {
        let given = quote! { impl A { const X: B = B { c: 1 }; #[tool(once)] fn f(&self, #[serde(default)] a: u8) {} #[prompt] fn p(&self, #[complete(c)] a: u8) {} fn g(#[doc = "x"] a: u8) {} } };
        let kept = quote! { impl A { const X: B = B { c: 1 }; fn f(&self, a: u8) {} #[prompt] fn p(&self, #[complete(c)] a: u8) {} fn g(#[doc = "x"] a: u8) {} } };
        assert_eq!(impl_block(Kind::Tool, given).to_string(), kept.to_string());
    }
}
