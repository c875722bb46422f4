//! `#[schemars(..)]` on a parameter: keywords of its schema.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Attribute, Expr, Ident, LitStr, Token, parenthesized, parse_quote, token};

use super::header;
use super::model::{Argument, Keyword, Value, Words};
use super::serde_attrs::quoted_type;
use crate::errors::Errors;
use crate::names;
use crate::syntax::{attribute_entries, entries, text_value};

const KEYS: [&str; 11] = [
    "range",
    "length",
    "regex",
    "pattern",
    "title",
    "description",
    "example",
    "extend",
    "email",
    "url",
    "with",
];

/// Applies one attribute to an argument.
pub(super) fn apply(attribute: &Attribute, argument: &mut Argument, errors: &mut Errors) {
    let mut inner = Errors::default();
    attribute_entries(attribute, errors, |input| {
        entry(input, argument, &mut inner)
    });
    errors.append(inner);
}

fn entry(input: ParseStream<'_>, argument: &mut Argument, errors: &mut Errors) -> syn::Result<()> {
    let key: Ident = input.parse()?;
    match key.to_string().as_str() {
        "range" => bounds(
            input,
            &key,
            &[("min", &["minimum"]), ("max", &["maximum"])],
            argument,
            errors,
        )?,
        // Whether it is a text or a list is known when the schema exists: for a list these become `minItems` and
        // `maxItems`.
        "length" => {
            let (min, max) = (&["minLength"], &["maxLength"]);
            let equal = &["minLength", "maxLength"];
            bounds(
                input,
                &key,
                &[("min", min), ("max", max), ("equal", equal)],
                argument,
                errors,
            )?;
        }
        "regex" => {
            let content = list(input, &key, "regex(pattern = \"..\")")?;
            entries(content, errors, |input| {
                let key: Ident = input.parse()?;
                if key != "pattern" {
                    return Err(syn::Error::new(
                        key.span(),
                        names::unknown("`regex` has no key", &key.to_string(), &["pattern"]),
                    ));
                }
                input.parse::<Token![=]>()?;
                argument.keyword("pattern", Value::Of(input.parse()?));
                Ok(())
            });
        }
        "pattern" => {
            let pattern: Expr = if input.peek(token::Paren) {
                syn::parse2(list(input, &key, "pattern = \"..\"")?)?
            } else {
                input.parse::<Token![=]>()?;
                input.parse()?
            };
            argument.keyword("pattern", Value::Of(pattern));
        }
        "title" => {
            let title: LitStr = text_value(input)?;
            argument.keyword("title", Value::Of(parse_quote!(#title)));
        }
        "description" => {
            input.parse::<Token![=]>()?;
            argument.description = Some(Words::Given(input.parse()?));
        }
        "example" => {
            input.parse::<Token![=]>()?;
            example(argument, input.parse()?);
        }
        "extend" => {
            let content = list(input, &key, "extend(\"x-key\" = value)")?;
            entries(content, errors, |input| {
                let name: LitStr = input.parse()?;
                if name.value() == header::KEYWORD {
                    let message = "write `#[header(\"..\")]`, which is checked when it compiles";
                    return Err(syn::Error::new(name.span(), message));
                }
                input.parse::<Token![=]>()?;
                argument.keyword(&name.value(), Value::Json(json(input)?));
                Ok(())
            });
        }
        "email" => argument.keyword("format", Value::Json(quote!("email"))),
        "url" => argument.keyword("format", Value::Json(quote!("uri"))),
        "with" => argument.described_as = Some(quoted_type(&text_value(input)?)?),
        other => {
            let message = names::unknown("a parameter has no schemars attribute", other, &KEYS);
            return Err(syn::Error::new(key.span(), message));
        }
    }
    Ok(())
}

/// `key(min = .., max = ..)`
fn bounds(
    input: ParseStream<'_>,
    key: &Ident,
    known: &[(&str, &[&str])],
    argument: &mut Argument,
    errors: &mut Errors,
) -> syn::Result<()> {
    let content = list(input, key, &format!("{key}(min = 1, max = 10)"))?;
    entries(content, errors, |input| {
        let bound = input.call(Ident::parse_any)?;
        let Some((_, keywords)) = known.iter().find(|(name, _)| bound == name) else {
            let known: Vec<_> = known.iter().map(|(name, _)| *name).collect();
            let message =
                names::unknown(&format!("`{key}` has no key"), &bound.to_string(), &known);
            return Err(syn::Error::new(bound.span(), message));
        };
        input.parse::<Token![=]>()?;
        let value: Expr = input.parse()?;
        for keyword in *keywords {
            argument.keyword(keyword, Value::Of(value.clone()));
        }
        Ok(())
    });
    Ok(())
}

fn list(input: ParseStream<'_>, key: &Ident, usage: &str) -> syn::Result<TokenStream> {
    if !input.peek(token::Paren) {
        return Err(syn::Error::new(
            key.span(),
            format!("`{key}` takes a list: write `{usage}`"),
        ));
    }
    let content;
    parenthesized!(content in input);
    content.parse()
}

/// Everything up to the next comma: `json!` reads it.
fn json(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let mut tokens = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        tokens.extend([input.parse::<proc_macro2::TokenTree>()?]);
    }
    if tokens.is_empty() {
        Err(input.error("expected a value"))
    } else {
        Ok(tokens)
    }
}

fn example(argument: &mut Argument, example: Expr) {
    let examples = argument
        .keywords
        .iter_mut()
        .find(|keyword| keyword.name == "examples");
    match examples.map(|keyword| &mut keyword.value) {
        Some(Value::List(examples)) => examples.push(example),
        _ => argument.keyword("examples", Value::List(vec![example])),
    }
}

impl Argument {
    fn keyword(&mut self, name: &str, value: Value) {
        self.keywords.push(Keyword {
            name: name.to_owned(),
            value,
        });
    }
}
