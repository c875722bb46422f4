//! Text from a server, made fit for a terminal: it cannot move the cursor, colour, hide or turn text.

use std::{iter::Peekable, str::Chars};

use mcp_client::text::is_hidden;

/// The text without escape sequences, control characters and characters that are invisible or turn
/// the reading direction. Line breaks stay, a tab becomes a space.
#[must_use]
pub fn clean(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\n' => clean.push('\n'),
            '\t' => clean.push(' '),
            '\u{1b}' => skip_escape(&mut rest),
            '\u{9b}' => skip_control_sequence(&mut rest),
            c if is_hidden(c) => {}
            c => clean.push(c),
        }
    }
    clean
}

/// The same on one line.
#[must_use]
pub fn clean_line(text: &str) -> String {
    clean(text).replace('\n', " ")
}

/// JSON text in which every character that [`clean`] takes out is written as an escape: the value
/// stays the same, and a terminal shows what is in it.
#[must_use]
pub fn escape_json(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            // White space of the JSON text: inside a string these cannot stand.
            '\n' => escaped.push('\n'),
            '\t' | '\r' => escaped.push(' '),
            c if is_hidden(c) => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    escaped += &format!("\\u{unit:04x}");
                }
            }
            c => escaped.push(c),
        }
    }
    escaped
}

/// What follows an escape character.
fn skip_escape(rest: &mut Peekable<Chars<'_>>) {
    match rest.peek() {
        Some('[') => {
            rest.next();
            skip_control_sequence(rest);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => skip_string(rest),
        _ => {
            while rest.next_if(|c| matches!(c, ' '..='/')).is_some() {}
            rest.next_if(|c| matches!(c, '0'..='~'));
        }
    }
}

/// Parameters and intermediate bytes, then one final byte.
fn skip_control_sequence(rest: &mut Peekable<Chars<'_>>) {
    while rest.next_if(|c| matches!(c, ' '..='?')).is_some() {}
    rest.next_if(|c| matches!(c, '@'..='~'));
}

/// A string, such as a window title or a link, up to its terminator. One without a terminator would
/// swallow the rest of the text: then only its beginning is left out.
fn skip_string(rest: &mut Peekable<Chars<'_>>) {
    rest.next();
    let mut ahead = rest.clone();
    while let Some(c) = ahead.next() {
        let ends = match c {
            '\u{7}' | '\u{9c}' => true,
            '\u{1b}' => ahead.next_if_eq(&'\\').is_some(),
            _ => false,
        };
        if ends {
            *rest = ahead;
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_text_stays() {
        for text in [
            "",
            "Delete note n-1 ('Café')?\nThis cannot be undone.",
            "日本語 🎉 [2J",
        ] {
            assert_eq!(clean(text), text);
        }
    }

    #[test]
    fn escape_sequences_are_left_out() {
        for (text, shown) in [
            ("a\u{1b}[2J\u{1b}[1;31mb\u{1b}[0m", "ab"),
            ("a\u{9b}31mb", "ab"),
            ("a\u{1b}]0;title\u{7}b", "ab"),
            (
                "a\u{1b}]8;;https://evil.example\u{1b}\\link\u{1b}]8;;\u{1b}\\b",
                "alinkb",
            ),
            ("a\u{1b}(0b\u{1b}c", "ab"),
            ("a\u{1b}Pq#0\u{1b}\\b", "ab"),
            ("a\u{1b}", "a"),
            ("a\u{1b}[", "a"),
        ] {
            assert_eq!(clean(text), shown, "{text:?}");
        }
    }

    #[test]
    fn a_string_without_end_does_not_swallow_the_rest() {
        assert_eq!(clean("a\u{1b}]0;Really pay?"), "a0;Really pay?");
    }

    #[test]
    fn json_keeps_its_value_and_hides_nothing() {
        let json = "{\n  \"a\": \"x\u{9b}31m\u{202e}é\u{e0041}\"\n}";
        let escaped = escape_json(json);
        let expected = "{\n  \"a\": \"x\\u009b31m\\u202eé\\udb40\\udc41\"\n}";
        assert_eq!(escaped, expected);
        assert_eq!(escape_json("{\t\r\n}"), "{  \n}");
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
        assert_eq!(value(&escaped), value(json));
    }

    #[test]
    fn control_and_bidirectional_characters_are_left_out() {
        assert_eq!(
            clean("a\r\u{8}\u{0}b\u{202e}c\u{200b}\u{2066}d\te\u{85}"),
            "abcd e"
        );
        assert_eq!(clean_line("a\nb"), "a b");
    }
}
