//! The question of a marker parameter, as the expression that its resolver runs.

use proc_macro2::{Ident, Literal, TokenStream, TokenTree};
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
    let numbers = marker.after.iter();
    let numbers = numbers.map(|index| number_of(parameters, *index));
    let numbers = quote!(&[#(#numbers),*]);
    // A local of its own: what is borrowed for a question need not be `Send`, and the answer is waited for.
    let asked = if waits(&question) {
        quote_spanned! {span=>
            __asking.resolve::<#ty, _>(#number, #numbers, async { #question }).await?
        }
    } else {
        quote_spanned!(span=> { let __question = #question; __asking.ask::<#ty>(#number, #numbers, __question).await? })
    };
    if marker.after.is_empty() {
        return quote_spanned!(span=> let #slot = #asked;);
    }
    let slots = marker.after.iter().map(|index| local("slot", *index));
    let names = marker.after.iter().map(|index| &parameters[*index].ident);
    quote_spanned! {span=>
        let #slot = match (#(#slots.ready(),)*) {
            (#(__mcp::Option::Some(#names),)*) => #asked,
            _ => __asking.wait::<#ty>(),
        };
    }
}

/// Whether a question can end early or has to wait, so that it needs a future of its own. A coroutine costs the compiler more
/// than all the rest of a tool.
fn waits(question: &TokenStream) -> bool {
    let tokens: Vec<TokenTree> = question.clone().into_iter().collect();
    let is_known = |name: &Ident| {
        let known = ["format", "format_args", "matches", "vec"];
        known.iter().any(|known| name == known)
    };
    let hides_something = |around: &[TokenTree]| match around {
        // What is in another macro than these, nobody knows. They go by their names: a user's own is taken for them.
        [
            TokenTree::Ident(name),
            TokenTree::Punct(punct),
            TokenTree::Group(_),
        ] => punct.as_char() == '!' && !is_known(name),
        _ => false,
    };
    let ends_early = |token: &TokenTree| match token {
        TokenTree::Ident(ident) => ident == "await" || ident == "return",
        TokenTree::Punct(punct) => punct.as_char() == '?',
        TokenTree::Group(group) => waits(&group.stream()),
        TokenTree::Literal(_) => false,
    };
    tokens.iter().any(ends_early) || tokens.windows(3).any(hides_something)
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
    let in_scope = |tokens: TokenStream| match receiver {
        Receiver::None => tokens,
        Receiver::Reference | Receiver::Shared => rename_self(tokens, "__this"),
    };
    // What does not convert is reported where the question is written, what is no form at the type.
    match &marker.question {
        Question::Resolver(tokens) => {
            let (span, asked) = (ours(first_span(tokens)), in_scope(tokens.clone()));
            quote_spanned!(span=> __mcp::into_ask::<#value, _>(#asked))
        }
        Question::Message { message, arguments } => {
            let arguments = arguments.iter().map(argument);
            let message = in_scope(quote!(__mcp::format_args!(#message #(, #arguments)*)));
            quote_spanned!(ours(first_span(ty))=> __mcp::ask_form::<#value>(#message))
        }
    }
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
