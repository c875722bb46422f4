//! Operator secrets: where a key comes from, what makes it too weak, and how it stays out of logs.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::{
    STANDARD_NO_PAD_INDIFFERENT, URL_SAFE_NO_PAD, URL_SAFE_NO_PAD_INDIFFERENT,
};
use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

/// A secret that protects `requestState`, of at least [`Key::MIN_BYTES`] bytes.
///
/// Nothing is encrypted under the secret itself: each codec derives its own key from it. The bytes are wiped from
/// memory on drop and never printed.
///
/// ```
/// use mcp_server::state::Key;
///
/// let key = Key::generate()?;
/// let stored = key.to_base64();
/// assert!(Key::parse(&stored).is_ok());
/// assert_eq!(format!("{key:?}"), "Key(redacted)");
/// assert!(Key::from_bytes([7; 32]).is_err(), "one byte, repeated");
/// # Ok::<(), mcp_server::state::KeyError>(())
/// ```
#[derive(Clone)]
pub struct Key(Zeroizing<Vec<u8>>);

impl Key {
    /// The shortest secret taken, in bytes: 256 bits, the size of the keys derived from it.
    pub const MIN_BYTES: usize = 32;

    /// Takes the bytes of a secret.
    ///
    /// # Errors
    /// [`KeyError::TooShort`] below [`Key::MIN_BYTES`], [`KeyError::Weak`] for a pattern instead of a secret.
    pub fn from_bytes(bytes: impl AsRef<[u8]>) -> Result<Self, KeyError> {
        let bytes = bytes.as_ref();
        if bytes.len() < Self::MIN_BYTES {
            return Err(KeyError::TooShort { found: bytes.len() });
        }
        if let Some(why) = weakness(bytes) {
            return Err(KeyError::Weak(why));
        }
        Ok(Self(Zeroizing::new(bytes.to_vec())))
    }

    /// Makes a new random key of 32 bytes.
    ///
    /// # Errors
    /// [`KeyError::Random`] when the operating system has no random bytes to give.
    pub fn generate() -> Result<Self, KeyError> {
        let mut bytes = Zeroizing::new(vec![0; Self::MIN_BYTES]);
        getrandom::fill(&mut bytes).map_err(|_| KeyError::Random)?;
        Ok(Self(bytes))
    }

    /// Reads a secret written in hexadecimal digits of either case.
    ///
    /// # Errors
    /// [`KeyError::Encoding`] for anything else, and those of [`Key::from_bytes`].
    pub fn from_hex(text: &str) -> Result<Self, KeyError> {
        let digits = text.trim().as_bytes();
        let (pairs, rest) = digits.as_chunks::<2>();
        if !rest.is_empty() {
            return Err(KeyError::Encoding);
        }
        let mut bytes = Zeroizing::new(Vec::with_capacity(pairs.len()));
        for &[high, low] in pairs {
            let (Some(high), Some(low)) = (hex_digit(high), hex_digit(low)) else {
                return Err(KeyError::Encoding);
            };
            bytes.push(high << 4 | low);
        }
        Self::from_bytes(&*bytes)
    }

    /// Reads a secret written in base64, with the standard or the URL-safe alphabet, padded or not.
    ///
    /// # Errors
    /// [`KeyError::Encoding`] for anything else, and those of [`Key::from_bytes`].
    pub fn from_base64(text: &str) -> Result<Self, KeyError> {
        let text = text.trim();
        let bytes = STANDARD_NO_PAD_INDIFFERENT
            .decode(text)
            .or_else(|_| URL_SAFE_NO_PAD_INDIFFERENT.decode(text))
            .map(Zeroizing::new)
            .map_err(|_| KeyError::Encoding)?;
        Self::from_bytes(&*bytes)
    }

    /// Reads a secret written in either way: 64 or more hexadecimal digits are taken as such, the rest as base64.
    ///
    /// # Errors
    /// Those of [`Key::from_hex`] and [`Key::from_base64`].
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let text = text.trim();
        // A random base64 key has no letter past `f` about once in 2^98, so the two are told apart by their digits.
        // A short one is read as hex too, so that the error names the length in bytes.
        if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Self::from_hex(text);
        }
        Self::from_base64(text)
    }

    /// Writes the secret in URL-safe base64, to be stored where the next start finds it. Whoever reads it can forge state.
    #[must_use]
    pub fn to_base64(&self) -> String {
        URL_SAFE_NO_PAD.encode(&*self.0)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Whether both are the same secret, in time that does not depend on where they differ.
    pub(crate) fn same_as(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(redacted)")
    }
}

/// Why keys cannot be used. No text repeats any part of a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The secret is shorter than [`Key::MIN_BYTES`].
    #[error("the key has {found} bytes: use at least {min}, for example from `openssl rand -hex 32`", min = Key::MIN_BYTES)]
    TooShort {
        /// Its length, in bytes.
        found: usize,
    },
    /// The bytes are a pattern that anyone would try first.
    #[error("the key is no secret, {0}: use random bytes, for example from `openssl rand -hex 32`")]
    Weak(&'static str),
    /// The text is neither hexadecimal digits nor base64.
    #[error(
        "the key is neither hexadecimal digits nor base64: write it as `openssl rand -hex 32` does"
    )]
    Encoding,
    /// One of several keys in a text cannot be used.
    #[error("key {position}: {error}")]
    At {
        /// Its place in the list, from 1.
        position: usize,
        /// What is wrong with it.
        error: Box<KeyError>,
    },
    /// The ring would have no key.
    #[error("there is no key: give at least one, the first seals and every key opens")]
    Empty,
    /// The same secret is there twice.
    #[error("keys {first} and {second} are the same: a rotation needs two different keys")]
    Repeated {
        /// The place of the first, from 1.
        first: usize,
        /// The place of the second, from 1.
        second: usize,
    },
    /// Two different secrets got the same key id, which names the key that opens a state.
    #[error("keys {first} and {second} have the same key id: generate one of them anew")]
    SameId {
        /// The place of the first, from 1.
        first: usize,
        /// The place of the second, from 1.
        second: usize,
    },
    /// The environment variable is not set, or is no text.
    #[error(
        "the environment variable {name} is not set: put the keys in it, separated by commas or line ends"
    )]
    Variable {
        /// Its name.
        name: String,
    },
    /// The key file cannot be read.
    #[error("the key file {path} cannot be read: {error}")]
    File {
        /// Its path.
        path: String,
        /// What the operating system says.
        error: String,
    },
    /// A key source of the application's own failed.
    #[error("the keys cannot be loaded: {0}")]
    Source(String),
    /// The operating system gave no random bytes.
    #[error("the operating system gave no random bytes")]
    Random,
}

/// Reads keys separated by commas or line ends. Blank entries and lines that begin with `#` are passed over.
pub(crate) fn parse_list(text: &str) -> Result<Vec<Key>, KeyError> {
    let mut keys = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with('#') {
            continue;
        }
        for entry in line.split(',') {
            if entry.trim().is_empty() {
                continue;
            }
            let key = Key::parse(entry).map_err(|error| KeyError::At {
                position: keys.len() + 1,
                error: Box::new(error),
            })?;
            keys.push(key);
        }
    }
    Ok(keys)
}

pub(crate) fn hex_digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

/// Names the pattern if the bytes are one. This catches placeholders; it does not measure entropy.
fn weakness(bytes: &[u8]) -> Option<&'static str> {
    /// The longest pattern looked for: `0123456789abcdef` in hexadecimal digits is eight bytes.
    const LONGEST_PATTERN: usize = 8;

    let step = |pair: &[u8]| pair[1].wrapping_sub(pair[0]);
    let first = step(bytes.get(..2)?);
    if bytes.windows(2).all(|pair| step(pair) == first) {
        return Some(if first == 0 {
            "one byte, repeated"
        } else {
            "bytes that count up or down"
        });
    }
    let repeats = |period: usize| bytes.iter().zip(&bytes[period..]).all(|(a, b)| a == b);
    (2..=LONGEST_PATTERN)
        .any(repeats)
        .then_some("a short pattern, repeated")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const HEX: &str = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

    #[test]
    fn the_same_key_in_every_notation() {
        let key = Key::from_hex(HEX).unwrap();
        let bytes = key.bytes().to_vec();
        assert_eq!(bytes[..4], [0x9f, 0x86, 0xd0, 0x81]);
        let standard = base64::engine::general_purpose::STANDARD.encode(&bytes);
        for text in [
            HEX,
            &HEX.to_uppercase(),
            &format!("  {HEX}\n"),
            &standard,
            standard.trim_end_matches('='),
            &key.to_base64(),
        ] {
            assert!(Key::parse(text).unwrap().same_as(&key), "{text}");
        }
    }

    #[test]
    fn short_keys_name_their_length() {
        assert_eq!(
            Key::from_bytes([1, 2, 4]).unwrap_err(),
            KeyError::TooShort { found: 3 }
        );
        // B53: a 16-byte key.
        assert_eq!(
            Key::parse(&HEX[..32]).unwrap_err(),
            KeyError::TooShort { found: 16 }
        );
        let error = Key::from_bytes([9; 31]).unwrap_err().to_string();
        assert_eq!(
            error,
            "the key has 31 bytes: use at least 32, for example from `openssl rand -hex 32`"
        );
    }

    #[test]
    fn patterns_are_no_secrets() {
        let counting: Vec<u8> = (0..32).collect();
        let wrapping: Vec<u8> = (0..40u8).map(|n| n.wrapping_add(240)).collect();
        let down: Vec<u8> = (0..32).rev().collect();
        let dead_beef = [0xde, 0xad, 0xbe, 0xef].repeat(8);
        let digits = "0123456789abcdef".repeat(4);
        for bytes in [
            vec![0; 32],
            vec![255; 64],
            counting,
            wrapping,
            down,
            dead_beef,
        ] {
            assert!(
                matches!(Key::from_bytes(&bytes), Err(KeyError::Weak(_))),
                "{bytes:?}"
            );
        }
        assert!(matches!(Key::parse(&digits), Err(KeyError::Weak(_))));
    }

    #[test]
    fn what_is_no_key_says_so_without_repeating_it() {
        for text in [
            "",
            "correct horse battery staple, correct horse",
            "zz",
            &format!("{HEX}!"),
        ] {
            let error = Key::parse(text).unwrap_err();
            assert!(
                matches!(error, KeyError::Encoding | KeyError::TooShort { .. }),
                "{error:?}"
            );
            assert!(text.is_empty() || !error.to_string().contains(text));
        }
        assert_eq!(Key::from_hex(&HEX[1..]).unwrap_err(), KeyError::Encoding);
    }

    #[test]
    fn generated_keys_differ_and_stay_hidden() {
        let (one, two) = (Key::generate().unwrap(), Key::generate().unwrap());
        assert!(!one.same_as(&two));
        assert_eq!(format!("{one:?}"), "Key(redacted)");
    }

    #[test]
    fn lists_take_commas_and_lines() {
        let second = Key::generate().unwrap().to_base64();
        let text = format!("# newest first\n{HEX},\n\r\n  {second} \n");
        assert_eq!(parse_list(&text).unwrap().len(), 2);
        assert!(parse_list(" \n,").unwrap().is_empty());
        let error = parse_list(&format!("{HEX},short")).unwrap_err().to_string();
        assert!(error.starts_with("key 2: "), "{error}");
    }
}
