//! What a server wrote, as the log shows it: the beginning, on one line.
//!
//! Motivation: a name or a message of a server may have as many bytes as a message may have, and line breaks that
//! would make it look like lines of this client's own.

use std::fmt::{self, Display, Formatter, Write};

/// How much of it goes to the log, in characters.
const SHOWN: usize = 200;

/// Shows the beginning of something.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Excerpt<T>(pub(crate) T);

impl<T: Display> Display for Excerpt<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut beginning = Beginning {
            to: f,
            room: SHOWN,
            is_cut: false,
        };
        // An error that is no cut is that of the log, and comes again.
        let written = write!(beginning, "{}", self.0);
        match beginning.is_cut {
            true => f.write_str(".."),
            false => written,
        }
    }
}

/// Takes so much and no more.
struct Beginning<'a, 'b> {
    to: &'a mut Formatter<'b>,
    room: usize,
    is_cut: bool,
}

impl Write for Beginning<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for c in text.chars() {
            if self.room == 0 {
                self.is_cut = true;
                return Err(fmt::Error);
            }
            self.room -= 1;
            match c {
                // What is JSON is easier to read as it is.
                '"' | '\'' => self.to.write_char(c)?,
                c => write!(self.to, "{}", c.escape_debug())?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_cut_and_on_one_line() {
        let excerpt = |text: &str| Excerpt(text).to_string();
        assert_eq!(excerpt("tools/call"), "tools/call");
        assert_eq!(excerpt(r#"{"a":'b'}"#), r#"{"a":'b'}"#);
        let forged = "a\n2026-07-28 WARN \u{1b}[31m\u{202e}";
        assert_eq!(excerpt(forged), r"a\n2026-07-28 WARN \u{1b}[31m\u{202e}");
        let whole = "é".repeat(SHOWN);
        assert_eq!(excerpt(&whole), whole);
        assert_eq!(excerpt(&format!("{whole}é")), format!("{whole}.."));
        let parts = Excerpt(format_args!("{whole}{}{}", "x", "y")).to_string();
        assert_eq!(parts, format!("{whole}.."));
    }
}
