//! Small helpers for the derives: presence, numbers and constant members.

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Error as _, Serializer};

use super::RawJson;

/// Reads an optional member whose `null` is a value of its own, or an error, but not absence.
pub(super) fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}

/// Reads an optional member that must be an object; `null` counts as absent.
pub(super) fn object<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<RawJson>, D::Error> {
    let raw = RawJson::deserialize(deserializer)?;
    match raw.get() {
        "null" => Ok(None),
        _ if raw.is_object() => Ok(Some(raw)),
        _ => Err(D::Error::custom("expected a JSON object")),
    }
}

/// Reads how long a result may be kept. What is less than zero counts as zero, and no number as absent.
///
/// Specification: server/utilities/caching, Time-to-Live Field.
pub(super) fn ttl<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let raw = Option::<serde_json::Value>::deserialize(deserializer)?;
    let milliseconds = raw.as_ref().and_then(serde_json::Value::as_f64);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // It saturates.
    Ok(milliseconds.map(|milliseconds| milliseconds as u64))
}

/// Writes a number as the specification's examples do: `50`, not `50.0`.
pub(super) fn number<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    // Below 2^53 every integral float is one exact integer.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if !number.is_finite() {
        return Err(S::Error::custom(format_args!(
            "{number} is not a JSON number"
        )));
    }
    if number.fract() == 0.0 && number.abs() < EXACT {
        #[allow(clippy::cast_possible_truncation)] // Just checked.
        return serializer.serialize_i64(*number as i64);
    }
    serializer.serialize_f64(*number)
}

/// [`number`] for an optional member.
pub(super) fn optional_number<S: Serializer>(
    value: &Option<f64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => number(value, serializer),
        None => serializer.serialize_none(),
    }
}

/// A member that can have but one value: a type without content that writes and checks it.
macro_rules! constant {
    ($(#[$doc:meta])* $visibility:vis $name:ident = $text:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
        $visibility struct $name;

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str($text)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let found = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                if found == $text {
                    return Ok(Self);
                }
                Err(serde::de::Error::invalid_value(
                    serde::de::Unexpected::Str(&found),
                    &concat!("\"", $text, "\""),
                ))
            }
        }
    };
}

/// An enum of types that already write their own tag: writing one is writing what is in it.
macro_rules! serialize_content {
    ($name:ident { $($variant:ident),+ $(,)? }) => {
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$variant(content) => content.serialize(serializer),)+
                }
            }
        }
    };
}

/// `From` for each variant of such an enum.
macro_rules! from_variants {
    ($name:ident { $($variant:ident($content:ty)),+ $(,)? }) => {$(
        impl From<$content> for $name {
            fn from(content: $content) -> Self {
                Self::$variant(content)
            }
        }
    )+};
}

pub(super) use {constant, from_variants, serialize_content};
