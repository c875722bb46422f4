//! [`Scan`]: reads a message in one pass, borrowing from it.
//!
//! Motivation: every message is read by this, and half of what a short call costs is reading. A
//! deserialiser that knows nothing of its text decodes each key and each number; here keys are
//! compared as they stand, and what nobody asks for is checked and left where it is. Bodies are still
//! read by `serde_json`, from the text that this has found to be JSON.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::text::plain_prefix;

/// The text is not JSON, or not of the form that was asked for.
///
/// It does not say where: that is for a second, slower look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed;

/// Reads JSON from its beginning to its end, and accepts exactly what `serde_json` does.
///
/// Each method skips blanks, reads one thing and leaves the rest. After an error it is of no more use.
///
/// ```
/// use mcp_core::rpc::{Malformed, Scan};
///
/// let json = r#"{"uri":"note:\/\/1","limit":[1,2],"cursor":null}"#;
/// let (mut uri, mut limit) = (None, None);
/// Scan::whole(json, |scan| {
///     scan.object(|scan, key| match key {
///         "uri" => scan.fill(&mut uri, Scan::string),
///         "limit" => scan.fill(&mut limit, Scan::raw),
///         _ => scan.skip(),
///     })
/// })?;
/// assert_eq!((uri.as_deref(), limit), (Some("note://1"), Some("[1,2]")));
/// # Ok::<(), Malformed>(())
/// ```
#[derive(Debug, Clone)]
pub struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    /// Begins before the first byte.
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Reads a text of which `read` leaves nothing but blanks.
    ///
    /// # Errors
    ///
    /// Where it leaves more, and those of `read`.
    #[inline]
    pub fn whole<T>(
        text: &'a str,
        read: impl FnOnce(&mut Self) -> Result<T, Malformed>,
    ) -> Result<T, Malformed> {
        let mut scan = Self::new(text);
        let value = read(&mut scan)?;
        scan.finish().map(|()| value)
    }

    /// Reads an object: `member` is called for each of its keys, and must read the value.
    ///
    /// # Errors
    ///
    /// Where no object stands here, and those of `member`.
    #[inline]
    pub fn object(
        &mut self,
        mut member: impl FnMut(&mut Self, &str) -> Result<(), Malformed>,
    ) -> Result<(), Malformed> {
        self.expect(b'{')?;
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(());
        }
        loop {
            let (key, escaped) = self.key()?;
            let decoded;
            let key = if escaped {
                decoded = unescaped(key)?;
                &decoded
            } else {
                key
            };
            member(self, key)?;
            match self.next() {
                Some(b',') => {}
                Some(b'}') => return Ok(()),
                _ => return Err(Malformed),
            }
        }
    }

    /// Reads a member into its place.
    ///
    /// # Errors
    ///
    /// Where the member stands for the second time, and those of `read`.
    #[inline]
    pub fn fill<T>(
        &mut self,
        place: &mut Option<T>,
        read: impl FnOnce(&mut Self) -> Result<T, Malformed>,
    ) -> Result<(), Malformed> {
        if place.is_some() {
            return Err(Malformed);
        }
        *place = Some(read(self)?);
        Ok(())
    }

    /// Reads a value; `null` is none.
    ///
    /// # Errors
    ///
    /// Those of `read`.
    #[inline]
    pub fn optional<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Malformed>,
    ) -> Result<Option<T>, Malformed> {
        if self.peek() == Some(b'n') {
            return self.literal("null").map(|()| None);
        }
        read(self).map(Some)
    }

    /// Reads a string; it is copied only where it has escapes.
    ///
    /// # Errors
    ///
    /// Where no string stands here, or one that is not Unicode.
    pub fn string(&mut self) -> Result<Cow<'a, str>, Malformed> {
        self.expect(b'"')?;
        let start = self.at;
        let escaped = self.skip_string()?;
        let string = &self.text[start..self.at - 1];
        if escaped {
            return unescaped(string).map(Cow::Owned);
        }
        Ok(Cow::Borrowed(string))
    }

    /// Reads any value as it stands.
    ///
    /// # Errors
    ///
    /// Where no value stands here.
    pub fn raw(&mut self) -> Result<&'a str, Malformed> {
        self.peek();
        let start = self.at;
        self.skip()?;
        Ok(&self.text[start..self.at])
    }

    /// Reads any value for `serde_json`, which looks over it a second time.
    ///
    /// # Errors
    ///
    /// Where no value stands here.
    pub fn raw_value(&mut self) -> Result<&'a RawValue, Malformed> {
        serde_json::from_str(self.raw()?).map_err(|_| Malformed)
    }

    /// Passes over any value. How deeply it is nested is of no concern.
    ///
    /// # Errors
    ///
    /// Where no value stands here.
    pub fn skip(&mut self) -> Result<(), Malformed> {
        let mut open = Brackets::default();
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    self.skip_string()?;
                }
                Some(b'{') => {
                    self.at += 1;
                    if self.peek() != Some(b'}') {
                        open.push(Bracket::Object);
                        self.key()?;
                        continue;
                    }
                    self.at += 1;
                }
                Some(b'[') => {
                    self.at += 1;
                    if self.peek() != Some(b']') {
                        open.push(Bracket::Array);
                        continue;
                    }
                    self.at += 1;
                }
                Some(b'-' | b'0'..=b'9') => self.skip_number()?,
                Some(b't') => self.literal("true")?,
                Some(b'f') => self.literal("false")?,
                Some(b'n') => self.literal("null")?,
                _ => return Err(Malformed),
            }
            // A value is read: as many brackets as end here are closed.
            loop {
                let Some(bracket) = open.last() else {
                    return Ok(());
                };
                match (self.next(), bracket) {
                    (Some(b'}'), Bracket::Object) | (Some(b']'), Bracket::Array) => open.pop(),
                    (Some(b','), Bracket::Array) => break,
                    (Some(b','), Bracket::Object) => {
                        self.key()?;
                        break;
                    }
                    _ => return Err(Malformed),
                }
            }
        }
    }

    /// Makes sure that nothing but blanks is left.
    ///
    /// # Errors
    ///
    /// Where something is.
    fn finish(mut self) -> Result<(), Malformed> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(Malformed),
        }
    }

    /// The next byte that is no blank, and moves to it.
    #[inline]
    fn peek(&mut self) -> Option<u8> {
        loop {
            let byte = self.byte()?;
            if !matches!(byte, b' ' | b'\n' | b'\t' | b'\r') {
                return Some(byte);
            }
            self.at += 1;
        }
    }

    /// As [`peek`](Self::peek), and moves behind it.
    #[inline]
    fn next(&mut self) -> Option<u8> {
        let byte = self.peek();
        self.at += usize::from(byte.is_some());
        byte
    }

    #[inline]
    fn expect(&mut self, byte: u8) -> Result<(), Malformed> {
        if self.next() == Some(byte) {
            Ok(())
        } else {
            Err(Malformed)
        }
    }

    /// The byte here.
    #[inline]
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// A key, and whether there are escapes in it; and its colon.
    fn key(&mut self) -> Result<(&'a str, bool), Malformed> {
        self.expect(b'"')?;
        let start = self.at;
        let escaped = self.skip_string()?;
        let key = &self.text[start..self.at - 1];
        self.expect(b':')?;
        Ok((key, escaped))
    }

    fn literal(&mut self, word: &str) -> Result<(), Malformed> {
        if !self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            return Err(Malformed);
        }
        self.at += word.len();
        Ok(())
    }

    /// Behind its first quote; says whether there are escapes in it.
    #[inline(always)]
    fn skip_string(&mut self) -> Result<bool, Malformed> {
        let bytes = self.text.as_bytes();
        let mut escaped = false;
        loop {
            self.at += plain_prefix(&bytes[self.at..]);
            match bytes.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(escaped);
                }
                Some(b'\\') => {
                    escaped = true;
                    self.skip_escape()?;
                }
                _ => return Err(Malformed),
            }
        }
    }

    #[cold]
    fn skip_escape(&mut self) -> Result<(), Malformed> {
        let escape = &self.text.as_bytes()[self.at + 1..];
        let length = match escape {
            [b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => 1,
            [b'u', a, b, c, d, ..]
                if [a, b, c, d].iter().all(|digit| digit.is_ascii_hexdigit()) =>
            {
                5
            }
            _ => return Err(Malformed),
        };
        self.at += 1 + length;
        Ok(())
    }

    fn skip_number(&mut self) -> Result<(), Malformed> {
        if self.byte() == Some(b'-') {
            self.at += 1;
        }
        if self.byte() == Some(b'0') {
            self.at += 1;
            if self.byte().is_some_and(|byte| byte.is_ascii_digit()) {
                return Err(Malformed);
            }
        } else {
            self.skip_digits()?;
        }
        if self.byte() == Some(b'.') {
            self.at += 1;
            self.skip_digits()?;
        }
        if matches!(self.byte(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.byte(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.skip_digits()?;
        }
        Ok(())
    }

    /// At least one.
    fn skip_digits(&mut self) -> Result<(), Malformed> {
        let start = self.at;
        while self.byte().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at > start {
            Ok(())
        } else {
            Err(Malformed)
        }
    }
}

/// What stands between two quotes.
#[cold]
fn unescaped(string: &str) -> Result<String, Malformed> {
    serde_json::from_str(&format!("\"{string}\"")).map_err(|_| Malformed)
}

#[derive(Clone, Copy)]
enum Bracket {
    Array,
    Object,
}

/// The brackets that are open, a bit for each: the innermost 64 in a word of their own, so that
/// ordinary values need no memory.
#[derive(Default)]
struct Brackets {
    count: usize,
    inner: u64,
    outer: Vec<u64>,
}

impl Brackets {
    fn push(&mut self, bracket: Bracket) {
        if self.count > 0 && self.count.is_multiple_of(64) {
            self.outer.push(self.inner);
        }
        self.inner = self.inner << 1 | u64::from(matches!(bracket, Bracket::Object));
        self.count += 1;
    }

    fn last(&self) -> Option<Bracket> {
        match (self.count, self.inner & 1) {
            (0, _) => None,
            (_, 0) => Some(Bracket::Array),
            _ => Some(Bracket::Object),
        }
    }

    fn pop(&mut self) {
        self.inner >>= 1;
        self.count -= 1;
        if self.count > 0 && self.count.is_multiple_of(64) {
            self.inner = self.outer.pop().unwrap_or_default();
        }
    }
}

#[cfg(test)]
mod tests;
