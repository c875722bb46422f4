//! What `#[resource(..)]` takes besides the keys that all kinds have: its URI and how it is described.

use syn::parse::ParseStream;
use syn::{Ident, Lit, LitInt, LitStr, Token};

use super::model::Resource;
use super::values::{equals, list, literal};
use crate::errors::Errors;
use crate::syntax::entries;

/// The keys as given.
#[derive(Default)]
pub(super) struct ResourceKeys {
    uri: Option<LitStr>,
    /// Something stands where the URI belongs.
    is_faulty: bool,
    mime_type: Option<String>,
    size: Option<u64>,
    audience: Vec<String>,
    priority: Option<f64>,
    last_modified: Option<String>,
}

impl ResourceKeys {
    /// Reads an entry if it is the URI, or was meant to be.
    pub(super) fn uri(&mut self, input: ParseStream<'_>, is_first: bool) -> syn::Result<bool> {
        if input.peek(LitStr) {
            let given: LitStr = input.parse()?;
            if self.uri.is_some() {
                let message =
                    "a resource has one URI: keep one, and write another function for the other";
                return Err(syn::Error::new(given.span(), message));
            }
            self.uri = Some(given.clone());
            return if is_first {
                Ok(true)
            } else {
                Err(syn::Error::new(
                    given.span(),
                    "the URI comes first: write it before the keys",
                ))
            };
        }
        let is_computed = input.peek2(Token![!]) || input.peek2(Token![::]);
        let is_constant = input.peek(Ident)
            && input
                .fork()
                .parse::<Ident>()
                .is_ok_and(|word| word == word.to_string().to_uppercase().as_str());
        if is_first && (is_computed || is_constant) {
            self.is_faulty = true;
            let message = "the URI is read when the function compiles: write it here, in quotes";
            return Err(input.error(message));
        }
        Ok(false)
    }

    pub(super) fn is_without_uri(&self) -> bool {
        self.uri.is_none() && !self.is_faulty
    }

    pub(super) fn entry(
        &mut self,
        input: ParseStream<'_>,
        key: &Ident,
        errors: &mut Errors,
    ) -> syn::Result<()> {
        match key.to_string().as_str() {
            "mime_type" => {
                self.mime_type = Some(mime_type(&literal(input, key, "\"text/plain\"")?)?)
            }
            "size" => self.size = Some(size(input, key)?),
            "audience" => self.audience = audience(input, key, errors)?,
            "priority" => self.priority = Some(priority(input, key)?),
            _ => {
                let given = literal(input, key, "\"2025-01-12T15:00:58Z\"")?;
                self.last_modified = Some(last_modified(&given)?);
            }
        }
        Ok(())
    }

    pub(super) fn take(&mut self) -> Option<Resource> {
        Some(Resource {
            uri: self.uri.take()?,
            mime_type: self.mime_type.take(),
            size: self.size,
            audience: std::mem::take(&mut self.audience),
            priority: self.priority,
            last_modified: self.last_modified.take(),
        })
    }
}

fn mime_type(given: &LitStr) -> syn::Result<String> {
    let text = given.value();
    let is_token = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte))
    };
    let essence = text.split(';').next().unwrap_or_default().trim_end();
    let is_type = essence
        .split_once('/')
        .is_some_and(|(kind, subtype)| is_token(kind) && is_token(subtype));
    if is_type && !text.contains(char::is_control) {
        return Ok(text);
    }
    let message = format!("`{text}` is no MIME type: write one such as \"text/plain\"");
    Err(syn::Error::new(given.span(), message))
}

/// In bytes.
fn size(input: ParseStream<'_>, key: &Ident) -> syn::Result<u64> {
    equals(input, key, "1024")?;
    let fault = |span| {
        let message = "`size` is the whole number of bytes of the content: write `size = 1024`";
        syn::Error::new(span, message)
    };
    let given: LitInt = input.parse().map_err(|error| fault(error.span()))?;
    given.base10_parse().map_err(|_| fault(given.span()))
}

fn audience(input: ParseStream<'_>, key: &Ident, errors: &mut Errors) -> syn::Result<Vec<String>> {
    let content = list(input, key, "audience(\"user\", \"assistant\")")?;
    let mut audience = Vec::new();
    entries(content, errors, |input| {
        let fault = |span, what| {
            let message = format!("an audience is \"user\" or \"assistant\"{what}");
            Err(syn::Error::new(span, message))
        };
        let Ok(given) = input.parse::<LitStr>() else {
            return fault(input.span(), ", in quotes");
        };
        match given.value() {
            role if audience.contains(&role) => fault(given.span(), ": each once"),
            role if role == "user" || role == "assistant" => {
                audience.push(role);
                Ok(())
            }
            _ => fault(given.span(), ""),
        }
    });
    Ok(audience)
}

fn priority(input: ParseStream<'_>, key: &Ident) -> syn::Result<f64> {
    equals(input, key, "0.5")?;
    let span = input.span();
    let given: Option<f64> = match input.parse::<Lit>() {
        Ok(Lit::Float(number)) => number.base10_parse().ok(),
        Ok(Lit::Int(number)) => number.base10_parse().ok(),
        _ => None,
    };
    given
        .filter(|number| (0.0..=1.0).contains(number))
        .ok_or_else(|| {
            let message = "`priority` is a number from 0.0 (optional) to 1.0 (most important)";
            syn::Error::new(span, message)
        })
}

/// A date, or a date and a time with its zone, in the form of ISO 8601 that RFC 3339 has.
fn last_modified(given: &LitStr) -> syn::Result<String> {
    let text = given.value();
    if is_time(&text) {
        return Ok(text);
    }
    let message =
        format!("`{text}` is no time: write one in ISO 8601, such as \"2025-01-12T15:00:58Z\"");
    Err(syn::Error::new(given.span(), message))
}

fn is_time(text: &str) -> bool {
    let Some((date, time)) = text.split_once('T') else {
        return is_date(text);
    };
    let zone = time.find(['Z', '+', '-']);
    let (clock, zone) = time.split_at(zone.unwrap_or(time.len()));
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let is_zone = match zone.strip_prefix(['+', '-']) {
        Some(offset) => numbers(offset, ':', &[(2, 0..=23), (2, 0..=59)]),
        None => zone == "Z",
    };
    is_date(date)
        && numbers(clock, ':', &[(2, 0..=23), (2, 0..=59), (2, 0..=60)])
        && is_digits(fraction)
        && is_zone
}

fn is_date(text: &str) -> bool {
    numbers(text, '-', &[(4, 0..=9999), (2, 1..=12), (2, 1..=31)])
}

/// Numbers of so many digits each, in their ranges, between separators.
fn numbers(
    text: &str,
    separator: char,
    expected: &[(usize, std::ops::RangeInclusive<u32>)],
) -> bool {
    let parts: Vec<&str> = text.split(separator).collect();
    parts.len() == expected.len()
        && parts.iter().zip(expected).all(|(part, (digits, range))| {
            part.len() == *digits
                && is_digits(part)
                && part.parse().is_ok_and(|number| range.contains(&number))
        })
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proc_macro2::Span;

    fn text(text: &str) -> LitStr {
        LitStr::new(text, Span::call_site())
    }

    #[test]
    fn times_are_dates_with_a_zone() {
        for right in [
            "2025-01-12",
            "2025-01-12T15:00:58Z",
            "2025-01-12T15:00:58.25+01:00",
        ] {
            assert!(last_modified(&text(right)).is_ok(), "{right}");
        }
        for wrong in [
            "",
            "yesterday",
            "2025-13-12",
            "2025-1-12",
            "2025-01-12T15:00:58",
            "2025-01-12T15:00Z",
            "2025-01-12T25:00:58Z",
            "2025-01-12T15:00:58.Z",
            "2025-01-12 15:00:58Z",
        ] {
            assert!(last_modified(&text(wrong)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn mime_types_have_two_parts() {
        for right in [
            "text/plain",
            "text/plain; charset=utf-8",
            "application/vnd.api+json",
            "inode/directory",
        ] {
            assert!(mime_type(&text(right)).is_ok(), "{right}");
        }
        for wrong in ["", "text", "text/", "/plain", "text/pl ain", "a/b/c"] {
            assert!(mime_type(&text(wrong)).is_err(), "{wrong}");
        }
    }
}
