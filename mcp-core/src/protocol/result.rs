//! What all results share: the result type, and results that may ask first.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error as _, Unexpected, Visitor};
use serde::ser::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::{InputRequiredResult, JsonObject, Meta};

/// How a result is to be read.
///
/// Specification: basic/index, Result Responses.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ResultType {
    /// The request is done. Also what an absent `resultType` means.
    #[default]
    Complete,
    /// The request needs input first.
    InputRequired,
    /// A type that this revision does not define. A client must take it for an invalid result.
    Other(String),
}

impl ResultType {
    /// The name on the wire.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Complete => "complete",
            Self::InputRequired => "input_required",
            Self::Other(name) => name,
        }
    }
}

impl From<Cow<'_, str>> for ResultType {
    fn from(name: Cow<'_, str>) -> Self {
        match &*name {
            "complete" => Self::Complete,
            "input_required" => Self::InputRequired,
            _ => Self::Other(name.into_owned()),
        }
    }
}

impl fmt::Display for ResultType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for ResultType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for ResultType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameVisitor;

        impl Visitor<'_> for NameVisitor {
            type Value = ResultType;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a result type, which is a string")
            }

            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<ResultType, E> {
                Ok(Cow::Borrowed(name).into())
            }
        }

        deserializer.deserialize_str(NameVisitor)
    }
}

macro_rules! fixed_result_type {
    ($(#[$doc:meta])* $name:ident = $kind:ident, $expected:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
        pub struct $name;

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                ResultType::$kind.serialize(serializer)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                match ResultType::deserialize(deserializer)? {
                    ResultType::$kind => Ok(Self),
                    other => Err(D::Error::invalid_value(
                        Unexpected::Other(&format!("result type `{other}`")),
                        &$expected,
                    )),
                }
            }
        }
    };
}

fixed_result_type!(
    /// The `resultType` of a result that is always complete: written as `complete`, and any other is refused.
    AlwaysComplete = Complete, "`complete`"
);
fixed_result_type!(
    /// The `resultType` of [`InputRequiredResult`]: written as `input_required`, and any other is refused.
    AlwaysInputRequired = InputRequired, "`input_required`"
);

/// The result of a method that may ask for input before it completes: `tools/call`, `prompts/get` and
/// `resources/read`. Its `resultType` says which of the two it is.
///
/// Specification: basic/patterns/mrtr.
#[derive(Debug, Clone, PartialEq)]
pub enum RoundResult<T> {
    /// The request is done.
    Complete(T),
    /// The client is to answer and to send the request again.
    InputRequired(InputRequiredResult),
}

impl<T> From<T> for RoundResult<T> {
    fn from(result: T) -> Self {
        Self::Complete(result)
    }
}

impl<T: Serialize> Serialize for RoundResult<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Complete(result) => result.serialize(serializer),
            Self::InputRequired(result) => result.serialize(serializer),
        }
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for RoundResult<T> {
    // The discriminator first and then that one type, so that an error is about what the peer meant.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        match result_type_of(&raw).map_err(D::Error::custom)? {
            ResultType::Complete => serde_json::from_str(raw.get()).map(Self::Complete),
            ResultType::InputRequired => serde_json::from_str(raw.get()).map(Self::InputRequired),
            ResultType::Other(name) => {
                return Err(D::Error::custom(format_args!(
                    "unknown result type `{name}`, expected `complete` or `input_required`"
                )));
            }
        }
        .map_err(D::Error::custom)
    }
}

/// The `resultType` of a raw result; [`ResultType::Complete`] where there is none.
///
/// # Errors
///
/// The result is no object, or its `resultType` is no string.
pub fn result_type_of(result: &RawValue) -> Result<ResultType, serde_json::Error> {
    #[derive(serde::Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Discriminator {
        #[serde(default)]
        result_type: ResultType,
    }

    // A derived struct would take an array too.
    if !result.get().starts_with('{') {
        return Err(serde_json::Error::custom("a result must be a JSON object"));
    }
    serde_json::from_str::<Discriminator>(result.get()).map(|found| found.result_type)
}

/// A result that carries nothing but its success.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EmptyResult {
    /// Always complete.
    #[serde(default)]
    pub result_type: AlwaysComplete,
    /// Metadata.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Members that this revision does not define.
    #[serde(flatten)]
    pub extra: JsonObject,
}
