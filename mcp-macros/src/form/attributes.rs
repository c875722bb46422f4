//! The attributes of a form, its fields and variants: ours, and those of serde and schemars that a form allows.

use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Attribute, Ident, LitStr, Path, Token, parenthesized, token};

use super::case::Case;
use crate::errors::Errors;
use crate::function::crate_path;
use crate::names;
use crate::syntax::{attribute_entries, skip_value, text_value};

/// Where an attribute stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Container,
    Field,
    Variant,
}

impl Place {
    fn form_keys(self) -> &'static [&'static str] {
        match self {
            Self::Container => &["crate"],
            Self::Field => &["title", "not_secret"],
            Self::Variant => &["title"],
        }
    }

    fn serde_keys(self) -> &'static [&'static str] {
        match self {
            Self::Container => &["rename", "rename_all", "default", "expecting", "crate"],
            Self::Field => &[
                "rename",
                "alias",
                "default",
                "skip_serializing",
                "skip_serializing_if",
                "serialize_with",
            ],
            Self::Variant => &["rename", "alias", "skip_serializing"],
        }
    }

    fn schemars_keys(self) -> &'static [&'static str] {
        match self {
            Self::Container => &["title", "description", "example", "extend", "crate"],
            Self::Field => &[
                "title",
                "description",
                "range",
                "length",
                "email",
                "url",
                "example",
                "extend",
            ],
            Self::Variant => &["title", "description"],
        }
    }
}

/// What the attributes of one place say.
#[derive(Default)]
pub(super) struct Attributes {
    pub(super) title: Option<LitStr>,
    pub(super) not_secret: bool,
    pub(super) krate: Option<Path>,
    pub(super) rename: Option<LitStr>,
    pub(super) rename_all: Option<Case>,
}

impl Attributes {
    pub(super) fn parse(given: &[Attribute], place: Place, errors: &mut Errors) -> Self {
        let mut found = Self::default();
        for attribute in given {
            let path = attribute.path();
            if path.is_ident("form") {
                attribute_entries(attribute, errors, |input| found.form(input, place));
            } else if path.is_ident("serde") {
                attribute_entries(attribute, errors, |input| found.serde(input, place));
            } else if path.is_ident("schemars") {
                attribute_entries(attribute, errors, |input| schemars(input, place));
            }
        }
        found
    }

    fn form(&mut self, input: ParseStream<'_>, place: Place) -> syn::Result<()> {
        let key = input.call(Ident::parse_any)?;
        let known = place.form_keys();
        match key.to_string().as_str() {
            "title" if known.contains(&"title") => self.title = Some(text_value(input)?),
            "not_secret" if known.contains(&"not_secret") => self.not_secret = true,
            "crate" if known.contains(&"crate") => self.krate = Some(crate_path(input, &key)?),
            other => {
                return Err(syn::Error::new(
                    key.span(),
                    names::unknown("`form` has no key", other, known),
                ));
            }
        }
        Ok(())
    }

    fn serde(&mut self, input: ParseStream<'_>, place: Place) -> syn::Result<()> {
        let key = input.call(Ident::parse_any)?;
        match key.to_string().as_str() {
            "rename" => self.rename = deserialized(input)?,
            "rename_all" if place == Place::Container => {
                self.rename_all = deserialized(input)?.as_ref().and_then(Case::parse);
            }
            known if place.serde_keys().contains(&known) => skip_value(input)?,
            other => {
                let message = format!(
                    "`serde({other})` makes what is read differ from the form that is shown: remove it, allowed are {}",
                    names::list(place.serde_keys())
                );
                return Err(syn::Error::new(key.span(), message));
            }
        }
        Ok(())
    }
}

/// `= "name"`, or the `deserialize` one of `(serialize = "..", deserialize = "..")`.
fn deserialized(input: ParseStream<'_>) -> syn::Result<Option<LitStr>> {
    if !input.peek(token::Paren) {
        return text_value(input).map(Some);
    }
    let content;
    parenthesized!(content in input);
    let mut name = None;
    while !content.is_empty() {
        let key: Ident = content.parse()?;
        let value = text_value(&content)?;
        if key == "deserialize" {
            name = Some(value);
        }
        content.parse::<Option<Token![,]>>()?;
    }
    Ok(name)
}

fn schemars(input: ParseStream<'_>, place: Place) -> syn::Result<()> {
    let key = input.call(Ident::parse_any)?;
    if place.schemars_keys().iter().any(|known| key == known) {
        return skip_value(input);
    }
    if place == Place::Field && (key == "pattern" || key == "regex") {
        let message = "a form cannot carry a pattern: bound the length with `length(..)`, or say what is meant in the doc comment and check it in the tool";
        return Err(syn::Error::new(key.span(), message));
    }
    let message = format!(
        "`schemars({key})` makes the form that is shown differ from what is read: remove it, allowed are {}",
        names::list(place.schemars_keys())
    );
    Err(syn::Error::new(key.span(), message))
}
