//! Request ids and progress tokens: strings or integers that keep their type and value.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::{Malformed, Scan};

/// The id of a JSON-RPC request: a string or an integer.
///
/// `7` and `"7"` are different ids. Integers keep every digit; fractions, `null` and booleans are refused.
///
/// Specification: basic/index, Requests.
///
/// ```
/// use mcp_core::rpc::RequestId;
///
/// let id: RequestId = serde_json::from_str("9007199254740993")?;
/// assert_eq!(serde_json::to_string(&id)?, "9007199254740993");
/// assert_ne!(RequestId::from(7), RequestId::from("7"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RequestId {
    /// An integer, zero and negative ones included.
    Integer(i128),
    /// A string, the empty one included.
    String(String),
}

impl RequestId {
    /// Reads an id from its JSON text.
    ///
    /// # Errors
    ///
    /// The text is neither a string nor an integer, or the integer does not fit into 128 bits.
    pub fn from_raw(raw: &RawValue) -> Result<Self, InvalidId> {
        let text = raw.get();
        match text.as_bytes().first() {
            Some(b'"') => Scan::whole(text, Scan::string)
                .map(|string| Self::String(string.into_owned()))
                .map_err(|Malformed| InvalidId::NotUnicode),
            Some(b'-' | b'0'..=b'9') if text.contains(['.', 'e', 'E']) => Err(InvalidId::Fraction),
            Some(b'-' | b'0'..=b'9') => text
                .parse()
                .map(Self::Integer)
                .map_err(|_| InvalidId::TooLarge),
            Some(b'n') => Err(InvalidId::WrongType("null")),
            Some(b't' | b'f') => Err(InvalidId::WrongType("a boolean")),
            Some(b'[') => Err(InvalidId::WrongType("an array")),
            _ => Err(InvalidId::WrongType("an object")),
        }
    }
}

impl fmt::Display for RequestId {
    /// Writes the id as JSON, so that `7` and `"7"` differ in a log line too.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(integer) => write!(f, "{integer}"),
            Self::String(string) => write!(f, "{string:?}"),
        }
    }
}

impl Serialize for RequestId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Integer(integer) => match i64::try_from(*integer) {
                Ok(small) => serializer.serialize_i64(small),
                Err(_) => serializer.serialize_i128(*integer),
            },
            Self::String(string) => serializer.serialize_str(string),
        }
    }
}

impl<'de> Deserialize<'de> for RequestId {
    // By way of the raw text: only there an integer past 64 bits is still exact.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Self::from_raw(&raw).map_err(D::Error::custom)
    }
}

/// Why a JSON value is no [`RequestId`] or [`ProgressToken`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidId {
    /// A number with a fraction or an exponent.
    Fraction,
    /// An integer beyond 128 bits.
    TooLarge,
    /// A string with an escape that is no Unicode character.
    NotUnicode,
    /// Neither a string nor a number; the text says what it was.
    WrongType(&'static str),
}

impl fmt::Display for InvalidId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fraction => f.write_str("an id must be a string or an integer, not a fraction"),
            Self::TooLarge => f.write_str("an integer id must fit into 128 bits, use a string"),
            Self::NotUnicode => f.write_str("a string id must be valid unicode"),
            Self::WrongType(found) => {
                write!(f, "an id must be a string or an integer, not {found}")
            }
        }
    }
}

impl std::error::Error for InvalidId {}

/// Ties progress notifications to the request that asked for them: a string or an integer, like [`RequestId`].
///
/// Specification: basic/patterns/progress.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProgressToken(RequestId);

impl ProgressToken {
    /// Reads a token from its JSON text.
    ///
    /// # Errors
    ///
    /// The same as for [`RequestId::from_raw`].
    pub fn from_raw(raw: &RawValue) -> Result<Self, InvalidId> {
        RequestId::from_raw(raw).map(Self)
    }
}

impl fmt::Display for ProgressToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for ProgressToken {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ProgressToken {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        RequestId::deserialize(deserializer).map(Self)
    }
}

/// Clients use a request's own id as its token.
impl From<RequestId> for ProgressToken {
    fn from(id: RequestId) -> Self {
        Self(id)
    }
}

macro_rules! from_integers {
    ($($integer:ty),+) => {$(
        impl From<$integer> for RequestId {
            fn from(integer: $integer) -> Self {
                Self::Integer(integer.into())
            }
        }

        impl From<$integer> for ProgressToken {
            fn from(integer: $integer) -> Self {
                Self(integer.into())
            }
        }
    )+};
}

// Not only the 64-bit ones: a literal without a type is an `i32`.
from_integers!(i32, u32, i64, u64, i128);

macro_rules! from_strings {
    ($($string:ty),+) => {$(
        impl From<$string> for RequestId {
            fn from(string: $string) -> Self {
                Self::String(string.into())
            }
        }

        impl From<$string> for ProgressToken {
            fn from(string: $string) -> Self {
                Self(string.into())
            }
        }
    )+};
}

from_strings!(&str, String);

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn ids_keep_type_and_value() {
        for text in [
            "0",
            "-1",
            "7",
            "\"7\"",
            "\"\"",
            "\"é\"",
            "9007199254740993",
            "18446744073709551615",
            "-9223372036854775808",
            "18446744073709551616",
            "-170141183460469231731687303715884105728",
        ] {
            let id: RequestId = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&id).unwrap(), text);
            let token: ProgressToken = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&token).unwrap(), text);
        }
        let escaped: RequestId = serde_json::from_str(r#""\u00e9\n""#).unwrap();
        assert_eq!(escaped, RequestId::from("é\n"));
    }

    #[test]
    fn a_string_and_an_integer_are_different_ids() {
        assert_ne!(RequestId::from(7), RequestId::from("7"));
        assert_eq!(RequestId::from(7).to_string(), "7");
        assert_eq!(RequestId::from("7").to_string(), "\"7\"");
        let both = std::collections::HashSet::from([RequestId::from(7), RequestId::from("7")]);
        assert_eq!(both.len(), 2);
    }

    #[test]
    fn what_is_no_id_is_refused_by_name() {
        let refused = [
            (
                "1.5",
                "an id must be a string or an integer, not a fraction",
            ),
            (
                "1e3",
                "an id must be a string or an integer, not a fraction",
            ),
            ("null", "an id must be a string or an integer, not null"),
            (
                "true",
                "an id must be a string or an integer, not a boolean",
            ),
            ("[]", "an id must be a string or an integer, not an array"),
            ("{}", "an id must be a string or an integer, not an object"),
            (
                "340282366920938463463374607431768211456",
                "an integer id must fit into 128 bits, use a string",
            ),
            (r#""\ud800""#, "a string id must be valid unicode"),
        ];
        for (text, expected) in refused {
            let raw: Box<RawValue> = serde_json::from_str(text).unwrap();
            assert_eq!(RequestId::from_raw(&raw).unwrap_err().to_string(), expected);
            assert!(serde_json::from_str::<RequestId>(text).is_err());
        }
    }

    #[test]
    fn ids_come_out_of_a_tree_too() {
        let tree = serde_json::json!(["7", 7]);
        let ids: Vec<RequestId> = serde_json::from_value(tree).unwrap();
        assert_eq!(ids, [RequestId::from("7"), RequestId::from(7)]);
    }
}
