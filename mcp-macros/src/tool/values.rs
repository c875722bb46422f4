//! Values with a grammar of their own: icons, times, tool names.

use syn::parse::ParseStream;
use syn::{Ident, LitStr, Token, bracketed, parenthesized, token};

use super::model::Icon;
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
    let content;
    if input.peek(token::Paren) {
        parenthesized!(content in input);
    } else if input.peek(Token![=]) && input.peek2(token::Bracket) {
        input.parse::<Token![=]>()?;
        bracketed!(content in input);
    } else {
        let message = "`icons` takes a list: write `icons(\"https://..\", icon(src = \"..\", theme = \"dark\"))`";
        return Err(syn::Error::new(key.span(), message));
    }
    let mut icons = Vec::new();
    let mut inner = Errors::default();
    entries(content.parse()?, errors, |input| {
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

/// `"500ms"`, `"30s"`, `"2m"`, `"1h"`
pub(super) fn milliseconds(given: &LitStr) -> syn::Result<u64> {
    let text = given.value();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let unit = match unit {
        "ms" => Some(1),
        "s" => Some(1_000),
        "m" => Some(60_000),
        "h" => Some(3_600_000),
        _ => None,
    };
    let time = number
        .parse::<u64>()
        .ok()
        .zip(unit)
        .and_then(|(number, unit)| number.checked_mul(unit));
    match time {
        Some(0) => Err(syn::Error::new(
            given.span(),
            "a timeout of zero ends every call: write a longer one, such as \"30s\"",
        )),
        Some(time) => Ok(time),
        None => {
            let message = format!(
                "`{text}` is no time: write a whole number and `ms`, `s`, `m` or `h`, such as \"30s\""
            );
            Err(syn::Error::new(given.span(), message))
        }
    }
}

/// Why a tool name is not allowed. Specification: server/tools, Tool Names.
pub(super) fn name_fault(name: &str) -> Option<String> {
    if name.is_empty() || name.chars().count() > 128 {
        return Some(format!(
            "a tool name has 1 to 128 characters, this one has {}",
            name.chars().count()
        ));
    }
    let odd = name
        .chars()
        .find(|c| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-' | '.'))?;
    Some(format!(
        "a tool name has only `A-Z a-z 0-9 _ - .`, not `{}`",
        odd.escape_debug()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proc_macro2::Span;

    fn time(text: &str) -> Option<u64> {
        milliseconds(&LitStr::new(text, Span::call_site())).ok()
    }

    #[test]
    fn times_need_a_number_and_a_unit() {
        assert_eq!(time("500ms"), Some(500));
        assert_eq!(time("30s"), Some(30_000));
        assert_eq!(time("2m"), Some(120_000));
        for wrong in [
            "",
            "s",
            "30",
            "30 s",
            "-1s",
            "1.5s",
            "0s",
            "99999999999999999999h",
        ] {
            assert_eq!(time(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn names_as_in_the_specification() {
        assert_eq!(name_fault("admin.tools-list_2"), None);
        assert_eq!(name_fault(&"a".repeat(128)), None);
        for wrong in ["", "two words", "a/b", "größe", &"a".repeat(129)] {
            assert!(name_fault(wrong).is_some(), "{wrong}");
        }
    }
}
