//! Which form of answer a client takes, and which form of message it sends.
//!
//! Specification: basic/transports/streamable-http, Sending Messages; the rest is RFC 9110.

use http::{HeaderMap, HeaderValue, StatusCode, header};

use super::refusal::Refusal;

/// The forms of an answer that a client takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Forms {
    pub(crate) json: bool,
    pub(crate) events: bool,
}

/// Checks that the message is JSON, and gives the forms in which it may be answered.
///
/// # Errors
///
/// 415 for another kind of message, 406 where the client takes no answer that there is.
pub(super) fn negotiate(headers: &HeaderMap) -> Result<Forms, Refusal> {
    let kind = headers.get(header::CONTENT_TYPE);
    let is_json = kind.is_some_and(|kind| {
        kind == "application/json" || {
            let kind = kind.to_str().unwrap_or_default();
            essence(kind).eq_ignore_ascii_case("application/json")
        }
    });
    if !is_json {
        return Err(Refusal::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "a message is sent with the header `Content-Type: application/json`",
        ));
    }
    let forms = Forms::accepted(headers);
    if !forms.json && !forms.events {
        return Err(Refusal::new(
            StatusCode::NOT_ACCEPTABLE,
            "answers are `application/json` or `text/event-stream`, and the header `Accept` has neither",
        ));
    }
    Ok(forms)
}

/// A media type without its parameters.
fn essence(kind: &str) -> &str {
    kind.split(';').next().unwrap_or_default().trim()
}

impl Forms {
    /// What the header `Accept` says.
    pub(crate) fn accepted(headers: &HeaderMap) -> Self {
        let values = headers.get_all(header::ACCEPT);
        let mut each = values.iter();
        let both = match (each.next(), each.next()) {
            (None, _) => true,
            // What nearly every client says: it need not be taken apart.
            (Some(value), None) => value == "application/json, text/event-stream",
            _ => false,
        };
        if both {
            return Self {
                json: true,
                events: true,
            };
        }
        let ranges = || values.iter().flat_map(ranges);
        Self {
            json: accepts(ranges(), "application", "json"),
            events: accepts(ranges(), "text", "event-stream"),
        }
    }
}

/// The media ranges of a header, each with whether it is wanted.
fn ranges(value: &HeaderValue) -> impl Iterator<Item = (&str, bool)> {
    let value = value.to_str().unwrap_or_default();
    value.split(',').map(|range| {
        let refused = range.split(';').skip(1).any(|parameter| {
            let weight = parameter.trim();
            weight
                .strip_prefix("q=")
                .or_else(|| weight.strip_prefix("Q="))
                .is_some_and(|weight| weight.trim().parse() == Ok(0.0_f32))
        });
        (essence(range), !refused)
    })
}

/// Whether a type is wanted: what is said of it most closely counts.
fn accepts<'a>(ranges: impl Iterator<Item = (&'a str, bool)>, kind: &str, of_kind: &str) -> bool {
    let closeness = |range: &str| match range.split_once('/') {
        Some(("*", "*")) => 1,
        Some((a, "*")) if a.eq_ignore_ascii_case(kind) => 2,
        Some((a, b)) if a.eq_ignore_ascii_case(kind) && b.eq_ignore_ascii_case(of_kind) => 3,
        _ => 0,
    };
    let said = ranges
        .map(|(range, wanted)| (closeness(range), wanted))
        .max_by_key(|(closeness, _)| *closeness);
    matches!(said, Some((1.., true)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn forms(accept: &[&'static str]) -> (bool, bool) {
        let mut headers = HeaderMap::new();
        for value in accept {
            headers.append(header::ACCEPT, HeaderValue::from_static(value));
        }
        let forms = Forms::accepted(&headers);
        (forms.json, forms.events)
    }

    #[test]
    fn what_fits_is_taken_and_a_closer_word_counts_more() {
        for (accept, expected) in [
            (&[][..], (true, true)),
            (&["application/json, text/event-stream"], (true, true)),
            (&["application/json", "text/event-stream"], (true, true)),
            (&["*/*"], (true, true)),
            (&["application/*"], (true, false)),
            (&["text/*;q=0.5"], (false, true)),
            (&["Application/JSON; charset=utf-8"], (true, false)),
            (&["text/event-stream"], (false, true)),
            (&["text/html"], (false, false)),
            (&["*/*, application/json;q=0"], (false, true)),
            (
                &["application/json; q=0.0, text/event-stream;q=0"],
                (false, false),
            ),
            (&["text/html, */*;q=0.1"], (true, true)),
            (&[""], (false, false)),
        ] {
            assert_eq!(forms(accept), expected, "{accept:?}");
        }
    }

    #[test]
    fn a_message_is_json_whatever_its_charset_and_spelling() {
        for (kind, is_json) in [
            (Some("application/json"), true),
            (Some("Application/JSON; charset=UTF-8"), true),
            (Some("text/plain"), false),
            (Some("application/x-www-form-urlencoded"), false),
            (None, false),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(kind) = kind {
                headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
            }
            assert_eq!(negotiate(&headers).is_ok(), is_json, "{kind:?}");
        }
    }
}
