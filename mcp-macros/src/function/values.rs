//! Values of the attributes' keys: texts, flags, lists, paths, times, names.

use proc_macro2::TokenStream;
use syn::parse::ParseStream;
use syn::{Expr, Ident, LitBool, LitStr, Path, Token, bracketed, parenthesized, token};

use super::Kind;
use super::model::Once;

/// `= path`, for the key `crate`.
pub(crate) fn crate_path(input: ParseStream<'_>, key: &Ident) -> syn::Result<Path> {
    equals(input, key, "::my_mcp")?;
    input.call(Path::parse_mod_style).map_err(|error| {
        syn::Error::new(
            error.span(),
            "`crate` takes a path without quotes, such as `crate = ::my_mcp`",
        )
    })
}

/// `key = ` before a value.
pub(super) fn equals(input: ParseStream<'_>, key: &Ident, example: &str) -> syn::Result<()> {
    if input.parse::<Option<Token![=]>>()?.is_some() && !input.is_empty() {
        return Ok(());
    }
    Err(syn::Error::new(
        key.span(),
        format!("`{key}` needs a value: write `{key} = {example}`"),
    ))
}

/// `key = expression`
pub(super) fn value(input: ParseStream<'_>, key: &Ident, example: &str) -> syn::Result<Expr> {
    equals(input, key, example)?;
    input.parse()
}

/// `key = "text"`
pub(super) fn literal(input: ParseStream<'_>, key: &Ident, example: &str) -> syn::Result<LitStr> {
    equals(input, key, example)?;
    input.parse().map_err(|error| {
        syn::Error::new(
            error.span(),
            format!("`{key}` takes text: write `{key} = {example}`"),
        )
    })
}

/// A bare word is true.
pub(super) fn flag(input: ParseStream<'_>, key: &Ident) -> syn::Result<bool> {
    if input.parse::<Option<Token![=]>>()?.is_none() {
        return if input.is_empty() || input.peek(Token![,]) {
            Ok(true)
        } else {
            Err(input.error(format!(
                "`{key}` is a flag: write `{key}` or `{key} = false`"
            )))
        };
    }
    let value = input.parse::<LitBool>();
    let value = value.map_err(|error| {
        syn::Error::new(error.span(), format!("`{key}` takes `true` or `false`"))
    })?;
    Ok(value.value)
}

/// What is after `once`: nothing, `= true` or `= key`.
pub(super) fn once(input: ParseStream<'_>) -> syn::Result<Once> {
    if input.parse::<Option<Token![=]>>()?.is_none() {
        return Ok(Once::Exchange);
    }
    if let Ok(given) = input.fork().parse::<LitBool>() {
        input.parse::<LitBool>()?;
        return Ok(if given.value {
            Once::Exchange
        } else {
            Once::No
        });
    }
    input.parse().map(Once::Key)
}

/// `"ignore"` or `"refuse"`: whether unknown arguments are ignored.
pub(super) fn extra(given: &LitStr) -> syn::Result<bool> {
    match given.value().as_str() {
        "ignore" => Ok(true),
        "refuse" => Ok(false),
        other => {
            let message = format!(
                "`extra` is \"ignore\" or \"refuse\" (what happens to unknown arguments), not \"{other}\""
            );
            Err(syn::Error::new(given.span(), message))
        }
    }
}

/// `key(..)`, also `key = [..]`: what is inside.
pub(super) fn list(input: ParseStream<'_>, key: &Ident, usage: &str) -> syn::Result<TokenStream> {
    let content;
    if input.peek(token::Paren) {
        parenthesized!(content in input);
    } else if input.peek(Token![=]) && input.peek2(token::Bracket) {
        input.parse::<Token![=]>()?;
        bracketed!(content in input);
    } else {
        let message = format!("`{key}` takes a list: write `{usage}`");
        return Err(syn::Error::new(key.span(), message));
    }
    content.parse()
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

/// Why a name is not allowed. Those of tools are restricted: Specification: server/tools, Tool Names. Others are
/// free, but people read them, and they go into headers.
pub(super) fn name_fault(kind: Kind, name: &str) -> Option<String> {
    let what = kind.name();
    let longest = if kind == Kind::Tool { 128 } else { usize::MAX };
    let length = name.chars().count();
    if length > longest {
        return Some(format!(
            "a {what} name has 1 to {longest} characters, this one has {length}"
        ));
    }
    if name.trim().is_empty() {
        return Some(format!("a {what} name is not empty"));
    }
    let (odd, allowed) = if kind == Kind::Tool {
        let is_odd = |c: &char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-' | '.');
        (name.chars().find(is_odd)?, "has only `A-Z a-z 0-9 _ - .`")
    } else {
        (
            name.chars().find(|c| c.is_control())?,
            "has no control characters",
        )
    };
    Some(format!(
        "a {what} name {allowed}, not `{}`",
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
    fn names_of_tools_as_in_the_specification() {
        assert_eq!(name_fault(Kind::Tool, "admin.tools-list_2"), None);
        assert_eq!(name_fault(Kind::Tool, &"a".repeat(128)), None);
        for wrong in ["", "two words", "a/b", "größe", &"a".repeat(129)] {
            assert!(name_fault(Kind::Tool, wrong).is_some(), "{wrong}");
        }
    }

    #[test]
    fn other_names_are_for_people() {
        assert_eq!(name_fault(Kind::Resource, "Project Files"), None);
        assert_eq!(name_fault(Kind::Prompt, "größe"), None);
        for wrong in ["", " ", "a\nb"] {
            assert!(name_fault(Kind::Prompt, wrong).is_some(), "{wrong:?}");
        }
    }
}
