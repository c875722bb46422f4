//! The two forms of a body, value by value: how each kind is written, and how it is read back.
//!
//! Motivation: a body is written and read in one order, so neither form needs names to be looked up. What stands between
//! the values in the readable form is given as marks; the compact form leaves them out. One description of a body's
//! fields serves both.

use std::borrow::Cow;

use mcp_core::rpc::{Scan, write_str};

use super::base64url;
use super::digest::Digest;
use super::few::Few;

/// How a body is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Binary: half the size, and read in a fraction of the time. Numbers take seven bits a byte, the lowest first; bytes
    /// and texts have their length before them, maps their count.
    Compact,
    /// JSON, for codecs whose point is that people can read it.
    Readable,
}

/// The bytes of a number: seven bits in each, the lowest first, and as few as it needs.
#[inline]
pub(super) fn each_byte(mut number: u64, write: &mut dyn FnMut(u8)) {
    while number > 0x7f {
        write(number as u8 | 0x80);
        number >>= 7;
    }
    write(number as u8);
}

/// Writes values, one after the other.
pub(super) struct Writer {
    form: Form,
    out: Vec<u8>,
}

impl Writer {
    pub(super) fn new(form: Form) -> Self {
        // Room for most states, so that the buffer need not grow.
        let out = Vec::with_capacity(512);
        Self { form, out }
    }

    /// What stands here in the readable form.
    #[inline]
    pub(super) fn mark(&mut self, mark: &str) {
        if self.form == Form::Readable {
            self.push(mark);
        }
    }

    #[inline]
    pub(super) fn number(&mut self, number: u64) {
        match (self.form, number) {
            // Most are short: lengths and counts.
            (Form::Compact, 0..0x80) => self.out.push(number as u8),
            (Form::Compact, _) => self.long_number(number),
            (Form::Readable, _) => self.push(&number.to_string()),
        }
    }

    fn long_number(&mut self, number: u64) {
        each_byte(number, &mut |byte| self.out.push(byte));
    }

    pub(super) fn text(&mut self, text: &str) {
        match self.form {
            Form::Compact => self.bytes_compact(text.as_bytes()),
            Form::Readable => write_str(&mut self.out, text),
        }
    }

    /// JSON as it stands.
    pub(super) fn json(&mut self, json: &str) {
        match self.form {
            Form::Compact => self.bytes_compact(json.as_bytes()),
            Form::Readable => self.push(json),
        }
    }

    /// A fixed number of bytes.
    pub(super) fn bytes<const N: usize>(&mut self, bytes: &[u8; N]) {
        match self.form {
            Form::Compact => self.bytes_compact(bytes),
            Form::Readable => self.text(&base64url::encode(bytes)),
        }
    }

    /// A digest; that of nothing takes no room in the compact form.
    pub(super) fn digest(&mut self, digest: &Digest) {
        match self.form {
            Form::Compact if digest.0 == Digest::NOTHING.0 => self.bytes_compact(&[]),
            _ => self.bytes(&digest.0),
        }
    }

    /// Which of several things follows: its number in the compact form, its beginning in the readable one.
    pub(super) fn tag(&mut self, tags: &[&str], tag: usize) {
        match self.form {
            Form::Compact => self.number(tag as u64),
            Form::Readable => self.push(tags[tag]),
        }
    }

    pub(super) fn optional(&mut self, text: Option<&str>) {
        match (self.form, text) {
            (Form::Compact, text) => {
                self.number(text.is_some().into());
                if let Some(text) = text {
                    self.text(text);
                }
            }
            (Form::Readable, Some(text)) => self.text(text),
            (Form::Readable, None) => self.push("null"),
        }
    }

    pub(super) fn map<V>(&mut self, map: &Few<V>, value: fn(&mut Self, &V)) {
        self.begin(map.len());
        for (at, (name, entry)) in map.iter().enumerate() {
            self.key(at, name);
            value(self, entry);
        }
        self.mark("}");
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.out
    }

    fn begin(&mut self, count: usize) {
        match self.form {
            Form::Compact => self.number(count as u64),
            Form::Readable => self.push("{"),
        }
    }

    fn key(&mut self, at: usize, name: &str) {
        if at > 0 {
            self.mark(",");
        }
        self.text(name);
        self.mark(":");
    }

    #[inline(never)]
    fn push(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    fn bytes_compact(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.out.extend_from_slice(bytes);
    }
}

/// Reads values back, in the order in which they were written. `None` is anything else than what is written, to the byte.
pub(super) enum Reader<'a> {
    Compact(&'a [u8]),
    Readable(&'a str),
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8], form: Form) -> Option<Self> {
        Some(match form {
            Form::Compact => Self::Compact(bytes),
            Form::Readable => Self::Readable(std::str::from_utf8(bytes).ok()?),
        })
    }

    #[inline]
    pub(super) fn mark(&mut self, mark: &str) -> Option<()> {
        match self {
            Self::Compact(_) => Some(()),
            Self::Readable(rest) => pass(rest, mark),
        }
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let rest = match self {
            Self::Compact(rest) => rest,
            Self::Readable(_) => return self.value()?.parse().ok(),
        };
        // Most are short: lengths and counts.
        if let [byte @ ..0x80, after @ ..] = rest {
            *rest = after;
            return Some((*byte).into());
        }
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let (byte, after) = rest.split_first()?;
            *rest = after;
            let bits = u64::from(byte & 0x7f);
            // The tenth byte has room for one bit; and no number is longer than it must be.
            if bits << shift >> shift != bits || (shift > 0 && *byte == 0) {
                return None;
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// A number of no more than 32 bits.
    pub(super) fn count(&mut self) -> Option<u32> {
        self.number()?.try_into().ok()
    }

    pub(super) fn text(&mut self) -> Option<Cow<'a, str>> {
        match self {
            Self::Compact(_) => Some(self.text_compact()?.into()),
            Self::Readable(_) => {
                let given = self.value()?;
                let text = Scan::new(given).string().ok()?;
                // JSON has several ways to write a character, and only one of them is ours.
                let mut written = Vec::with_capacity(given.len());
                write_str(&mut written, &text);
                (written == given.as_bytes()).then_some(text)
            }
        }
    }

    pub(super) fn json(&mut self) -> Option<&'a str> {
        if let Self::Readable(_) = self {
            return self.value();
        }
        let json = self.text_compact()?;
        let value = Scan::new(json).raw().ok()?;
        // Nothing around it, not even blanks.
        (value.len() == json.len()).then_some(json)
    }

    pub(super) fn bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        match self {
            Self::Compact(_) => self.bytes_compact()?.try_into().ok(),
            Self::Readable(_) => base64url::decode_array(&self.text()?),
        }
    }

    pub(super) fn digest(&mut self) -> Option<Digest> {
        if let Self::Readable(_) = self {
            return self.bytes().map(Digest);
        }
        match self.bytes_compact()? {
            [] => Some(Digest::NOTHING),
            bytes => {
                let digest = bytes.try_into().ok()?;
                (digest != Digest::NOTHING.0).then_some(Digest(digest))
            }
        }
    }

    pub(super) fn tag(&mut self, tags: &[&str]) -> Option<usize> {
        if let Self::Compact(_) = self {
            let tag = usize::try_from(self.number()?).ok()?;
            return (tag < tags.len()).then_some(tag);
        }
        tags.iter().position(|tag| self.mark(tag).is_some())
    }

    pub(super) fn optional(&mut self) -> Option<Option<String>> {
        let is_some = match self {
            Self::Compact(_) => self.tag(&["", ""])? == 1,
            Self::Readable(_) => self.mark("null").is_none(),
        };
        if is_some {
            return Some(Some(self.text()?.into_owned()));
        }
        Some(None)
    }

    /// Refuses a name that does not come after those before it.
    pub(super) fn map<V>(&mut self, value: fn(&mut Self) -> Option<V>) -> Option<Few<V>> {
        let mut map = Few::default();
        let count = self.begin()?;
        while let Some(name) = self.key(map.len(), count)? {
            let entry = value(self)?;
            map.push(name.into_owned(), entry)?;
        }
        Some(map)
    }

    /// Makes sure that nothing is left.
    pub(super) fn finish(self) -> Option<()> {
        let is_empty = match self {
            Self::Compact(rest) => rest.is_empty(),
            Self::Readable(rest) => rest.is_empty(),
        };
        is_empty.then_some(())
    }

    /// How many entries a map has; the readable form does not say it.
    fn begin(&mut self) -> Option<Option<u64>> {
        match self {
            Self::Compact(_) => self.number().map(Some),
            Self::Readable(_) => self.mark("{").map(|()| None),
        }
    }

    /// The name of the entry at this place, or the end of the map.
    fn key(&mut self, at: usize, count: Option<u64>) -> Option<Option<Cow<'a, str>>> {
        if let Some(count) = count {
            let is_end = at as u64 == count;
            return Some(if is_end { None } else { Some(self.text()?) });
        }
        if self.mark("}").is_some() {
            return Some(None);
        }
        if at > 0 {
            self.mark(",")?;
        }
        let name = self.text()?;
        self.mark(":")?;
        Some(Some(name))
    }

    /// The next value of the readable form, which has no blanks before it.
    fn value(&mut self) -> Option<&'a str> {
        let Self::Readable(rest) = self else {
            return None;
        };
        let value = Scan::new(rest).raw().ok()?;
        pass(rest, value)?;
        Some(value)
    }

    fn text_compact(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes_compact()?).ok()
    }

    fn bytes_compact(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let Self::Compact(rest) = self else {
            return None;
        };
        let (bytes, after) = rest.split_at_checked(length)?;
        *rest = after;
        Some(bytes)
    }
}

#[inline(never)]
fn pass(rest: &mut &str, mark: &str) -> Option<()> {
    *rest = rest.strip_prefix(mark)?;
    Some(())
}
