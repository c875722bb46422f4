//! Tools whose body is a generic function of the server crate: those that ask nothing, and of which a call's parameters can be
//! read before the function runs. Most are.
//!
//! Motivation: a body that is written out is checked anew with every edit of the user's. One that is named by types costs the
//! compiler a small part of that.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote_spanned};
use syn::Type;

use super::parts::local;
use super::spec::{comment, named, plain_arguments};
use crate::function::Kind;
use crate::function::model::{Argument, Default, Function, Once, Parameter, Receiver, Role};
use crate::syntax::{first_span, ours};

macro_rules! quote {
    ($($tokens:tt)*) => { quote_spanned!(Span::mixed_site()=> $($tokens)*) };
}

/// How many parameters the ready-made bodies take.
const MOST: usize = 8;

/// An expression that makes the `Function` of a tool with plain arguments alone.
pub(super) fn tool(function: &Function) -> Option<TokenStream> {
    let is_plain = |(ty, argument): (&Type, &Argument)| {
        argument.default.is_none()
            && argument.described_as.is_none()
            && is_read_by_type(ty, argument)
    };
    let has_others = plain_arguments(function).count() < function.parameters.len();
    let is_free = function.receiver == Receiver::None;
    if has_others || !is_free || !plain_arguments(function).all(is_plain) || !may_be(function) {
        return None;
    }
    let name = &function.ident;
    let span = ours(name.span());
    let tool = format_ident!("tool{}", function.parameters.len(), span = span);
    let types = function.parameters.iter().map(|parameter| &parameter.ty);
    let output = output(function);
    let (listed, description) = (&function.name, comment(function.description.as_ref()));
    let arguments = plain_arguments(function).map(|(_, argument)| named(argument));
    Some(quote_spanned! {span=>
        __mcp::#tool::<#output, #(#types,)* _>(#name, #listed, #description, [#((#arguments)),*])
    })
}

/// An expression that makes the `Body`.
pub(super) fn body(function: &Function) -> Option<TokenStream> {
    if !may_be(function) {
        return None;
    }
    let parameters = function.parameters.iter();
    let taken: Vec<TokenStream> = parameters.map(taken).collect::<Option<_>>()?;
    let span = ours(function.ident.span());
    let (output, called) = (output(function), called(function));
    let types = taken.iter().map(|_| quote!(_));
    Some(match function.receiver {
        Receiver::None => {
            let body = format_ident!("body{}", taken.len(), span = span);
            quote_spanned!(span=> __mcp::#body::<#output, #(#types,)* _>(#called, (#(#taken,)*)))
        }
        Receiver::Reference | Receiver::Shared => {
            let method = format_ident!("method{}", taken.len(), span = span);
            quote_spanned! {span=>
                __mcp::#method::<#output, Self, #(#types,)* _>(&self, #called, (#(#taken,)*))
            }
        }
    })
}

fn may_be(function: &Function) -> bool {
    function.keys.kind() == Kind::Tool
        && function.is_async
        && function.parameters.len() <= MOST
        && !matches!(function.once, Once::Key(_))
}

/// The function that takes a parameter's value from a call.
fn taken(parameter: &Parameter) -> Option<TokenStream> {
    let ty = &parameter.ty;
    let (take, ty): (_, &Type) = match &parameter.role {
        Role::Argument(argument) if !is_read_by_type(ty, argument) => return None,
        Role::Argument(argument) => match argument.default {
            None => (quote!(argument), ty),
            Some(Default::Trait) => (quote!(argument_or_default), ty),
            Some(Default::Path(_)) => return None,
        },
        Role::Arguments => (quote!(all_arguments), ty),
        Role::State => (quote!(bound_state), ty),
        Role::Context { referenced } => (quote!(context), referenced.as_ref().unwrap_or(ty)),
        Role::Marker(_) => return None,
    };
    let span = ours(first_span(ty));
    Some(quote_spanned!(span=> __mcp::#take::<#ty>))
}

/// What borrows is not: it would outlive the function that reads it.
fn is_read_by_type(ty: &Type, argument: &Argument) -> bool {
    !argument.is_str && argument.deserialize_with.is_none() && !has_lifetime(ty.to_token_stream())
}

/// Whether a lifetime is written in a type.
fn has_lifetime(ty: TokenStream) -> bool {
    ty.into_iter().any(|token| match token {
        TokenTree::Punct(punct) => matches!(punct.as_char(), '\'' | '&'),
        TokenTree::Group(group) => has_lifetime(group.stream()),
        TokenTree::Ident(_) | TokenTree::Literal(_) => false,
    })
}

fn output(function: &Function) -> TokenStream {
    match &function.output {
        Some(ty) => ty.to_token_stream(),
        None => quote!(()),
    }
}

/// The function itself, unless it borrows what it is given.
fn called(function: &Function) -> TokenStream {
    let name = &function.ident;
    let span = ours(name.span());
    let path = match function.receiver {
        Receiver::None => name.to_token_stream(),
        Receiver::Reference | Receiver::Shared => quote_spanned!(span=> Self::#name),
    };
    let is_borrowed = |parameter: &Parameter| matches!(&parameter.role, Role::Context { referenced } if referenced.is_some());
    let borrows_receiver = function.receiver == Receiver::Reference;
    if !borrows_receiver && !function.parameters.iter().any(is_borrowed) {
        return path;
    }
    let (mut values, mut given) = (Vec::new(), Vec::new());
    if function.receiver != Receiver::None {
        let reference = borrows_receiver.then(|| quote!(&));
        values.push(quote!(__receiver));
        given.push(quote!(#reference __receiver));
    }
    for (index, parameter) in function.parameters.iter().enumerate() {
        let value = local("value", index);
        let reference = is_borrowed(parameter).then(|| quote!(&));
        values.push(quote!(#value));
        given.push(quote!(#reference #value));
    }
    quote_spanned!(span=> |#(#values),*| async move { #path(#(#given),*).await })
}
