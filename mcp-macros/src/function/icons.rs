//! The key `icons`, which has a grammar of its own.

use syn::parse::ParseStream;
use syn::{Ident, LitStr, Token, bracketed, parenthesized, token};

use super::model::Icon;
use super::values;
use crate::errors::Errors;
use crate::names;
use crate::syntax::{entries, text_value};

const ICON_KEYS: [&str; 4] = ["src", "mime_type", "sizes", "theme"];

/// `icons("https://..", icon(src = "..", mime_type = "..", sizes = ["48x48"], theme = "dark"))`, also `icons = [..]`.
pub(super) fn icons(
    input: ParseStream<'_>,
    key: &Ident,
    errors: &mut Errors,
) -> syn::Result<Vec<Icon>> {
    let usage = "icons(\"https://..\", icon(src = \"..\", theme = \"dark\"))";
    let content = values::list(input, key, usage)?;
    let mut icons = Vec::new();
    let mut inner = Errors::default();
    entries(content, errors, |input| {
        icons.extend(icon(input, &mut inner)?);
        Ok(())
    });
    errors.append(inner);
    Ok(icons)
}

fn icon(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Option<Icon>> {
    let mut icon = Icon {
        src: String::new(),
        mime_type: None,
        sizes: Vec::new(),
        theme: None,
    };
    if input.peek(LitStr) {
        icon.src = source(&input.parse()?)?;
        return Ok(Some(icon));
    }
    let word: Ident = input.parse().map_err(|error| {
        syn::Error::new(
            error.span(),
            "an icon is a URL in quotes or `icon(src = \"..\", ..)`",
        )
    })?;
    if word != "icon" || !input.peek(token::Paren) {
        return Err(syn::Error::new(
            word.span(),
            "an icon is a URL in quotes or `icon(src = \"..\", ..)`",
        ));
    }
    let content;
    parenthesized!(content in input);
    entries(content.parse()?, errors, |input| {
        let key: Ident = input.parse()?;
        match key.to_string().as_str() {
            "src" => icon.src = source(&text_value(input)?)?,
            "mime_type" => icon.mime_type = Some(text_value(input)?.value()),
            "sizes" => icon.sizes = sizes(input)?,
            "theme" => icon.theme = Some(theme(&text_value(input)?)?),
            other => {
                return Err(syn::Error::new(
                    key.span(),
                    names::unknown("`icon` has no key", other, &ICON_KEYS),
                ));
            }
        }
        Ok(())
    });
    if icon.src.is_empty() && errors.is_empty() {
        errors.on(&word, "an icon needs `src = \"..\"`");
    }
    Ok(errors.is_empty().then_some(icon))
}

fn source(given: &LitStr) -> syn::Result<String> {
    let src = given.value();
    if ["https://", "http://", "data:"]
        .iter()
        .any(|scheme| src.starts_with(scheme))
    {
        return Ok(src);
    }
    Err(syn::Error::new(
        given.span(),
        "the source of an icon is an `https:`, `http:` or `data:` URI",
    ))
}

fn sizes(input: ParseStream<'_>) -> syn::Result<Vec<String>> {
    input.parse::<Token![=]>()?;
    let content;
    bracketed!(content in input);
    let sizes = content.parse_terminated(<LitStr as syn::parse::Parse>::parse, Token![,])?;
    sizes.iter().map(size).collect()
}

fn size(given: &LitStr) -> syn::Result<String> {
    let size = given.value();
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_size = size == "any"
        || size
            .split_once('x')
            .is_some_and(|(w, h)| is_number(w) && is_number(h));
    if is_size {
        Ok(size)
    } else {
        Err(syn::Error::new(
            given.span(),
            "a size is written \"48x48\", or \"any\"",
        ))
    }
}

fn theme(given: &LitStr) -> syn::Result<String> {
    match given.value() {
        theme if theme == "light" || theme == "dark" => Ok(theme),
        _ => Err(syn::Error::new(
            given.span(),
            "`theme` is \"light\" or \"dark\"",
        )),
    }
}
