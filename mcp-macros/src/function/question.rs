//! `#[elicit("message", arguments)]` and `#[resolve(expr)]`.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Ident, LitStr, Meta, Token};

use super::format::{Reference, Template};
use super::model::{FormatArgument, Question};
use crate::errors::Errors;
use crate::syntax::string_literal;

/// The question of one marker attribute.
pub(super) fn parse(attribute: &Attribute, errors: &mut Errors) -> Option<Question> {
    let is_elicit = attribute.path().is_ident("elicit");
    let tokens = match &attribute.meta {
        Meta::List(list) if !list.tokens.is_empty() => list.tokens.clone(),
        _ if is_elicit => {
            errors.on(
                attribute,
                "`elicit` needs the question: write `#[elicit(\"message {argument}\")]`",
            );
            return None;
        }
        _ => {
            errors.on(
                attribute,
                "`resolve` needs a resolver: write `#[resolve(function(&argument))]`",
            );
            return None;
        }
    };
    if is_elicit {
        return errors
            .keep(syn::parse2::<Message>(tokens))
            .map(Message::into_question);
    }
    // Parsed for its error only: printed as written, so that spans and invisible groups stay.
    errors.keep(syn::parse2::<Resolver>(tokens.clone()))?;
    Some(Question::Resolver(tokens))
}

struct Resolver;

impl Parse for Resolver {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        input.parse::<Expr>()?;
        if input.is_empty() {
            return Ok(Self);
        }
        Err(input.error("`resolve` takes one expression: write `#[resolve(function(&argument))]`"))
    }
}

struct Message {
    message: LitStr,
    arguments: Vec<(Option<Ident>, Expr)>,
}

impl Parse for Message {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let first: Expr = input.parse()?;
        let Some(message) = string_literal(&first) else {
            let message = "the question is a string literal as for `format!`: write `#[elicit(\"{}\", ..)]`, or `#[resolve(..)]` with an `Ask`";
            return Err(syn::Error::new_spanned(first, message));
        };
        if message.value().trim().is_empty() {
            let error = "a question without a text: write what the user is asked";
            return Err(syn::Error::new_spanned(message, error));
        }
        let mut arguments = Vec::new();
        if input.parse::<Option<Token![,]>>()?.is_some() {
            let given = Punctuated::<Named, Token![,]>::parse_terminated(input)?;
            arguments = given
                .into_iter()
                .map(|argument| (argument.name, argument.value))
                .collect();
        }
        if !input.is_empty() {
            return Err(input.error("expected `,`"));
        }
        Ok(Self {
            message: message.clone(),
            arguments,
        })
    }
}

struct Named {
    name: Option<Ident>,
    value: Expr,
}

impl Parse for Named {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut name = None;
        if input.peek(Ident) && input.peek2(Token![=]) && !input.peek2(Token![==]) {
            name = Some(input.parse()?);
            input.parse::<Token![=]>()?;
        }
        Ok(Self {
            name,
            value: input.parse()?,
        })
    }
}

impl Message {
    fn into_question(self) -> Question {
        let template = Template::parse(&self.message.value());
        let is_count = |reference: &Reference| template.counts.contains(reference);
        let mut arguments = Vec::new();
        for (position, (name, value)) in self.arguments.iter().enumerate() {
            let by_name = name
                .as_ref()
                .is_some_and(|name| is_count(&Reference::Name(crate::syntax::plain(name))));
            let shown = !by_name && !is_count(&Reference::Position(position));
            arguments.push(FormatArgument {
                name: name.clone(),
                value: value.to_token_stream(),
                shown,
            });
        }
        for reference in &template.shown {
            let Reference::Name(name) = reference else {
                continue;
            };
            let is_given = |argument: &FormatArgument| {
                argument
                    .name
                    .as_ref()
                    .is_some_and(|given| crate::syntax::plain(given) == *name)
            };
            if arguments.iter().any(is_given) || is_count(reference) {
                continue;
            }
            if let Some(ident) = captured(name, &self.message) {
                arguments.push(FormatArgument {
                    name: Some(ident.clone()),
                    value: ident.into_token_stream(),
                    shown: true,
                });
            }
        }
        Question::Message {
            message: self.message,
            arguments,
        }
    }
}

/// The name that a `{name}` captures, resolved where the string was written.
fn captured(name: &str, message: &LitStr) -> Option<Ident> {
    let ident = |text: &str| syn::parse_str::<Ident>(text).ok();
    let mut ident = ident(name).or_else(|| ident(&format!("r#{name}")))?;
    ident.set_span(message.span());
    Some(ident)
}

impl Question {
    /// What its author wrote, to look for mentions in.
    pub(crate) fn tokens(&self) -> TokenStream {
        match self {
            Self::Resolver(tokens) => tokens.clone(),
            Self::Message { message, arguments } => {
                let mut tokens = message.to_token_stream();
                arguments
                    .iter()
                    .for_each(|argument| argument.value.to_tokens(&mut tokens));
                tokens
            }
        }
    }
}
