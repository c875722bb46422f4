//! Ids of requests, and progress tokens, which have the same form.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The id of a request: a string or an integer, with `7` and `"7"` two different ids.
///
/// Integers of more than 2^53 keep their value.
///
/// Specification: basic/index, Requests.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RequestId {
    /// An integer.
    Integer(i128),
    /// A string, which may be empty.
    String(String),
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(id) => write!(f, "{id}"),
            Self::String(id) => write!(f, "{id:?}"),
        }
    }
}

impl From<i64> for RequestId {
    fn from(id: i64) -> Self {
        Self::Integer(id.into())
    }
}

impl From<String> for RequestId {
    fn from(id: String) -> Self {
        Self::String(id)
    }
}

impl From<&str> for RequestId {
    fn from(id: &str) -> Self {
        Self::String(id.to_owned())
    }
}

impl Serialize for RequestId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            // Most formats know 64 bits better than 128.
            Self::Integer(id) => match i64::try_from(*id) {
                Ok(id) => serializer.serialize_i64(id),
                Err(_) => serializer.serialize_i128(*id),
            },
            Self::String(id) => serializer.serialize_str(id),
        }
    }
}

impl<'de> Deserialize<'de> for RequestId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = RequestId;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or an integer")
            }

            fn visit_i64<E: de::Error>(self, id: i64) -> Result<RequestId, E> {
                Ok(RequestId::Integer(id.into()))
            }

            fn visit_u64<E: de::Error>(self, id: u64) -> Result<RequestId, E> {
                Ok(RequestId::Integer(id.into()))
            }

            fn visit_str<E: de::Error>(self, id: &str) -> Result<RequestId, E> {
                Ok(RequestId::String(id.to_owned()))
            }

            fn visit_string<E: de::Error>(self, id: String) -> Result<RequestId, E> {
                Ok(RequestId::String(id))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}
