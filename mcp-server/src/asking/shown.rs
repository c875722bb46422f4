//! Makes text from outside fit to be shown to a person.
//!
//! A value that stands in a question may come from a model or a stranger: it must not be able to
//! break the line, hide what follows or turn the reading direction.

use std::fmt::{self, Write};

use mcp_core::text::is_hidden;

/// How many characters of one interpolated value are shown.
const VALUE: usize = 200;

/// How many characters of a whole message are shown.
const MESSAGE: usize = 4000;

/// An interpolated value: control and bidirectional characters are left out, its length is capped.
///
/// Of the author's format options, width and precision are kept; fill, alignment, sign, `#` and `0` are not.
#[derive(Clone, Copy)]
pub struct Shown<'a, T: ?Sized>(pub &'a T);

impl<T: ?Sized> Shown<'_, T> {
    /// Formats through a filter.
    fn filtered(&self, f: &mut fmt::Formatter<'_>, text: fmt::Arguments<'_>) -> fmt::Result {
        let mut clean = Clean {
            out: f,
            left: VALUE,
            newlines: false,
        };
        clean.write_fmt(text)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for Shown<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (f.width(), f.precision()) {
            (None, None) => self.filtered(f, format_args!("{}", self.0)),
            (Some(width), None) => self.filtered(f, format_args!("{:width$}", self.0)),
            (None, Some(digits)) => self.filtered(f, format_args!("{:.digits$}", self.0)),
            (Some(width), Some(digits)) => {
                self.filtered(f, format_args!("{:width$.digits$}", self.0))
            }
        }
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Shown<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.filtered(f, format_args!("{:?}", self.0))
    }
}

/// Passes on what may be shown.
struct Clean<'a, W: ?Sized> {
    out: &'a mut W,
    /// How many characters still may pass.
    left: usize,
    newlines: bool,
}

impl<W: fmt::Write + ?Sized> fmt::Write for Clean<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for c in text.chars() {
            if self.left == 0 {
                return Ok(());
            }
            if is_hidden(c) && !(self.newlines && c == '\n') {
                continue;
            }
            self.left -= 1;
            self.out.write_char(if self.left == 0 { '…' } else { c })?;
        }
        Ok(())
    }
}

/// A whole message, where there is something to take out of it: the author's own line breaks stay.
pub(crate) fn clean_message(message: &str) -> Option<String> {
    // Without an early end, so that many bytes are looked at in one step.
    let plain = message.bytes().fold(true, |plain, byte| {
        plain & (byte == b'\n' || (b' '..0x7f).contains(&byte))
    });
    let clean = || !message.chars().any(|c| c != '\n' && is_hidden(c));
    if message.len() <= MESSAGE && (plain || clean()) {
        return None;
    }
    let mut clean = String::with_capacity(message.len().min(4 * MESSAGE));
    let mut filter = Clean {
        out: &mut clean,
        left: MESSAGE,
        newlines: true,
    };
    // Writing to a string does not fail.
    let _ = filter.write_str(message);
    Some(clean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_cannot_break_the_line_or_turn_it() {
        let value = "O-1\n\nApproved\u{202e} by\x1b[2J admin\u{200b}";
        assert_eq!(format!("{}", Shown(value)), "O-1Approved by[2J admin");
        assert_eq!(format!("{:?}", Shown("a\u{202e}b")), r#""a\u{202e}b""#);
    }

    #[test]
    fn a_long_value_is_cut_with_a_sign() {
        let shown = format!("{}", Shown("x".repeat(1000).as_str()));
        assert_eq!(shown.chars().count(), VALUE);
        assert!(shown.ends_with('…'));
    }

    #[test]
    fn width_and_precision_are_the_authors() {
        assert_eq!(format!("{:.2}", Shown(&180.0)), "180.00");
        assert_eq!(format!("{:5}", Shown(&7)), "    7");
        assert_eq!(format!("{:6.1}", Shown(&2.55f32)), "   2.5");
    }

    #[test]
    fn a_message_keeps_the_authors_line_breaks() {
        assert_eq!(clean_message("a\nb, ä"), None);
        assert_eq!(clean_message("a\nb\r\u{2066}c").as_deref(), Some("a\nbc"));
        let cut = clean_message(&"y".repeat(5000));
        assert_eq!(cut.map(|cut| cut.chars().count()), Some(MESSAGE));
    }
}
