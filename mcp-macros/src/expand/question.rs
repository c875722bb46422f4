//! The question of a marker parameter, as the expression that its resolver runs.

use proc_macro2::{Literal, TokenStream};
use quote::{quote, quote_spanned};
use syn::Type;

use super::parts::local;
use crate::function::model::{FormatArgument, Marker, Parameter, Question, Receiver, Role};
use crate::function::rename_self;
use crate::syntax::{first_span, ours};

/// The `T` of a marker `Elicit<T>`, asked of the trait.
pub(super) fn value(ty: &Type) -> TokenStream {
    quote_spanned!(ours(first_span(ty))=> <#ty as __mcp::Marker>::Value)
}

/// Asks the question at `number` among the markers, or waits for the answers that it mentions. Leaves a slot.
pub(super) fn ask(
    parameters: &[Parameter],
    index: usize,
    number: usize,
    marker: &Marker,
    receiver: Receiver,
) -> TokenStream {
    let ty = &parameters[index].ty;
    let span = ours(first_span(ty));
    let slot = local("slot", index);
    let number = Literal::usize_unsuffixed(number);
    let question = expression(ty, marker, receiver);
    if marker.after.is_empty() {
        return quote_spanned! {span=>
            let #slot = asking.ask::<#ty, _>(#number, async { #question }).await?;
        };
    }
    let slots = marker.after.iter().map(|index| local("slot", *index));
    let names = marker.after.iter().map(|index| &parameters[*index].ident);
    let numbers = marker
        .after
        .iter()
        .map(|index| number_of(parameters, *index));
    quote_spanned! {span=>
        let #slot = match (#(#slots.ready(),)*) {
            (#(__mcp::Option::Some(#names),)*) => {
                asking.ask_after::<#ty, _>(#number, &[#(#numbers),*], async { #question }).await?
            }
            _ => asking.wait::<#ty>(),
        };
    }
}

/// The place of a marker among the markers.
fn number_of(parameters: &[Parameter], index: usize) -> Literal {
    let before = parameters[..index]
        .iter()
        .filter(|parameter| matches!(parameter.role, Role::Marker(_)));
    Literal::usize_unsuffixed(before.count())
}

fn expression(ty: &Type, marker: &Marker, receiver: Receiver) -> TokenStream {
    let value = value(ty);
    // What does not convert is reported where the question is written, what is no form at the type.
    let (span, asked) = match &marker.question {
        Question::Resolver(tokens) => (first_span(tokens), tokens.clone()),
        Question::Message { message, arguments } => {
            let arguments = arguments.iter().map(argument);
            let form = quote_spanned!(ours(first_span(ty))=> __mcp::ask_form::<#value>);
            (
                message.span(),
                quote!(#form(__mcp::format_args!(#message #(, #arguments)*))),
            )
        }
    };
    let asked = if receiver == Receiver::None {
        asked
    } else {
        rename_self(asked, "this")
    };
    quote_spanned!(ours(span)=> __mcp::into_ask::<#value, _>(#asked))
}

fn argument(argument: &FormatArgument) -> TokenStream {
    let value = &argument.value;
    let value = if argument.shown {
        quote!(__mcp::Shown(&(#value)))
    } else {
        value.clone()
    };
    match &argument.name {
        Some(name) => quote!(#name = #value),
        None => value,
    }
}
