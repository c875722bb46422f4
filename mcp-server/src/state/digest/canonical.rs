//! A walk over JSON text that writes what it means in one canonical form.
//!
//! Motivation: a tree of `serde_json::Value` would round integers past 64 bits, drop duplicate keys in silence, and
//! cost an allocation a node. This writes one buffer. It takes any text, valid or not, and neither panics nor
//! recurses past a fixed depth.
//!
//! The form: `z`, `t`, `f` for the literals; `n` number `;`; `s` length `:` bytes; `[` items `]`; `{` then key and value of
//! each member, sorted by key, `}`. Each begins with its kind and says where it ends, so two texts have one form only
//! if they mean the same.

use std::borrow::Cow;

use super::DigestError;
use crate::state::few::in_order;

mod number;

/// How deep arguments may nest: what serde_json takes when they are decoded.
pub(super) const MAX_DEPTH: usize = 128;

/// The canonical form of a call's arguments.
pub(super) fn arguments(text: &str) -> Result<Vec<u8>, DigestError> {
    let mut walk = Walk {
        text,
        at: 0,
        out: Vec::with_capacity(text.len() + 16),
    };
    walk.skip_white_space();
    match walk.peek() {
        Some(b'{') => walk.object(1)?,
        // `"arguments": null` is how some clients write that there are none.
        Some(b'n') => {
            walk.literal("null")?;
            walk.out.extend_from_slice(b"{}");
        }
        _ => return Err(DigestError::NotAnObject),
    }
    walk.skip_white_space();
    if walk.at == text.len() {
        Ok(walk.out)
    } else {
        Err(DigestError::NotJson)
    }
}

struct Walk<'a> {
    text: &'a str,
    at: usize,
    out: Vec<u8>,
}

impl<'a> Walk<'a> {
    fn value(&mut self, depth: usize) -> Result<(), DigestError> {
        match self.peek() {
            Some(b'{') => self.object(depth + 1),
            Some(b'[') => self.array(depth + 1),
            Some(b'"') => {
                let text = self.string()?;
                self.write_string(&text);
                Ok(())
            }
            Some(b'n') => self.literal_as("null", b'z'),
            Some(b't') => self.literal_as("true", b't'),
            Some(b'f') => self.literal_as("false", b'f'),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => Err(DigestError::NotJson),
        }
    }

    fn object(&mut self, depth: usize) -> Result<(), DigestError> {
        let mut members: Vec<Member<'a>> = Vec::new();
        self.open(depth, b'{')?;
        let start = self.out.len();
        while self.next_item(b'}', members.is_empty())? {
            let key = self.string()?;
            self.skip_white_space();
            self.expect(b':')?;
            self.skip_white_space();
            let from = self.out.len();
            self.write_string(&key);
            let is_null = self.peek() == Some(b'n');
            self.value(depth)?;
            // An absent optional argument; the key stays listed, so that it cannot come twice.
            if depth == 1 && is_null {
                self.out.truncate(from);
            }
            members.push(Member {
                key,
                from,
                to: self.out.len(),
            });
            self.skip_white_space();
        }
        self.sort(&members, start)?;
        self.out.push(b'}');
        Ok(())
    }

    /// Brings the members, written one after the other from `start`, into the order of their keys.
    fn sort(&mut self, members: &[Member<'a>], start: usize) -> Result<(), DigestError> {
        if members.is_sorted_by(|a, b| a.key < b.key) {
            return Ok(());
        }
        let keys: Vec<&str> = members.iter().map(|member| &*member.key).collect();
        let order = in_order(&keys).ok_or(DigestError::DuplicateKey)?;
        let written = self.out.split_off(start);
        for at in order {
            let Member { from, to, .. } = members[at];
            self.out
                .extend_from_slice(&written[from - start..to - start]);
        }
        Ok(())
    }

    fn array(&mut self, depth: usize) -> Result<(), DigestError> {
        self.open(depth, b'[')?;
        let mut first = true;
        while self.next_item(b']', first)? {
            first = false;
            self.value(depth)?;
            self.skip_white_space();
        }
        self.out.push(b']');
        Ok(())
    }

    fn open(&mut self, depth: usize, bracket: u8) -> Result<(), DigestError> {
        if depth > MAX_DEPTH {
            return Err(DigestError::TooDeep);
        }
        self.expect(bracket)?;
        self.out.push(bracket);
        Ok(())
    }

    /// Goes to the next item of an object or array, past the comma; `false` when it was closed.
    fn next_item(&mut self, close: u8, first: bool) -> Result<bool, DigestError> {
        self.skip_white_space();
        if self.peek() == Some(close) {
            self.at += 1;
            return Ok(false);
        }
        if !first {
            self.expect(b',')?;
            self.skip_white_space();
        }
        Ok(true)
    }

    fn number(&mut self) -> Result<(), DigestError> {
        let rest = &self.text[self.at..];
        let end = rest
            .bytes()
            .position(|byte| !matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'))
            .unwrap_or(rest.len());
        self.at += end;
        self.out.push(b'n');
        number::write(&rest[..end], &mut self.out)?;
        self.out.push(b';');
        Ok(())
    }

    /// Reads a string and gives its decoded value: borrowed unless it has escapes.
    fn string(&mut self) -> Result<Cow<'a, str>, DigestError> {
        self.expect(b'"')?;
        let mut decoded = Cow::Borrowed(self.plain_text()?);
        while self.peek() == Some(b'\\') {
            self.at += 1;
            let decoded = decoded.to_mut();
            decoded.push(self.escape()?);
            decoded.push_str(self.plain_text()?);
        }
        self.expect(b'"')?;
        Ok(decoded)
    }

    /// Passes over the part of a string that stands for itself.
    fn plain_text(&mut self) -> Result<&'a str, DigestError> {
        let rest = &self.text[self.at..];
        let end = rest
            .bytes()
            .position(|byte| byte == b'"' || byte == b'\\' || byte < b' ')
            .ok_or(DigestError::NotJson)?;
        self.at += end;
        Ok(&rest[..end])
    }

    fn escape(&mut self) -> Result<char, DigestError> {
        let escape = self.peek().ok_or(DigestError::NotJson)?;
        self.at += 1;
        Ok(match escape {
            b'"' | b'\\' | b'/' => char::from(escape),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode_escape(),
            _ => return Err(DigestError::NotJson),
        })
    }

    /// A half of a surrogate pair on its own is no character, and no string of ours can hold it.
    fn unicode_escape(&mut self) -> Result<char, DigestError> {
        let first = self.four_digits()?;
        let code = match first {
            0xd800..=0xdbff => {
                self.expect(b'\\')?;
                self.expect(b'u')?;
                let second = self.four_digits()?;
                if !(0xdc00..=0xdfff).contains(&second) {
                    return Err(DigestError::NotJson);
                }
                0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)
            }
            _ => first,
        };
        char::from_u32(code).ok_or(DigestError::NotJson)
    }

    fn four_digits(&mut self) -> Result<u32, DigestError> {
        let digits = self
            .text
            .as_bytes()
            .get(self.at..self.at + 4)
            .ok_or(DigestError::NotJson)?;
        let mut code = 0;
        for digit in digits {
            let digit = crate::state::key::hex_digit(*digit).ok_or(DigestError::NotJson)?;
            code = code << 4 | u32::from(digit);
        }
        self.at += 4;
        Ok(code)
    }

    fn literal_as(&mut self, literal: &str, kind: u8) -> Result<(), DigestError> {
        self.literal(literal)?;
        self.out.push(kind);
        Ok(())
    }

    fn literal(&mut self, literal: &str) -> Result<(), DigestError> {
        if !self.text.as_bytes()[self.at..].starts_with(literal.as_bytes()) {
            return Err(DigestError::NotJson);
        }
        self.at += literal.len();
        Ok(())
    }

    fn expect(&mut self, byte: u8) -> Result<(), DigestError> {
        if self.peek() != Some(byte) {
            return Err(DigestError::NotJson);
        }
        self.at += 1;
        Ok(())
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_white_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn write_string(&mut self, text: &str) {
        self.out.push(b's');
        write_length(&mut self.out, text.len());
        self.out.push(b':');
        self.out.extend_from_slice(text.as_bytes());
    }
}

/// In decimal digits.
fn write_length(out: &mut Vec<u8>, length: usize) {
    if length > 9 {
        write_length(out, length / 10);
    }
    out.push(b'0' + (length % 10) as u8);
}

struct Member<'a> {
    key: Cow<'a, str>,
    from: usize,
    to: usize,
}
