//! JSON that is carried without being looked at.

use std::fmt;

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::JsonObject;

/// A JSON value as its text, unparsed.
///
/// # Motivation
///
/// Arguments, structured results and answers belong to somebody else's type. A tree of [`Value`]s in between
/// would cost a second parse and round every integer beyond 64 bits. The text keeps each digit, and whoever
/// knows the type parses it once, with [`RawJson::parse`].
///
/// Two of these are equal when their texts are.
///
/// ```
/// use mcp_core::protocol::RawJson;
/// use serde_json::json;
///
/// #[derive(serde::Deserialize)]
/// struct Sum { total: u64 }
///
/// let raw = RawJson::from(json!({ "total": 18_446_744_073_709_551_615_u64 }));
/// assert_eq!(raw.parse::<Sum>()?.total, u64::MAX);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone)]
pub struct RawJson(Box<RawValue>);

impl RawJson {
    /// Takes a JSON text.
    ///
    /// # Errors
    ///
    /// The text is not one JSON value.
    pub fn from_text(text: impl Into<String>) -> Result<Self, serde_json::Error> {
        RawValue::from_string(text.into()).map(Self)
    }

    /// Serialises a value.
    ///
    /// # Errors
    ///
    /// The value has no JSON form, such as a map whose keys are not strings.
    pub fn from_serialize<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        to_raw_value(value).map(Self)
    }

    /// The JSON text.
    #[must_use]
    pub fn get(&self) -> &str {
        self.0.get()
    }

    /// The value as `serde_json` holds raw JSON.
    #[must_use]
    pub fn as_raw(&self) -> &RawValue {
        &self.0
    }

    /// Gives the raw value away.
    #[must_use]
    pub fn into_raw(self) -> Box<RawValue> {
        self.0
    }

    /// Parses the text into a type of your own.
    ///
    /// # Errors
    ///
    /// The value does not fit the type.
    pub fn parse<'a, T: Deserialize<'a>>(&'a self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.get())
    }

    /// Parses the text into a tree, in which integers beyond 64 bits become floating point.
    ///
    /// # Errors
    ///
    /// The value nests too deeply, or a number is too large for a tree.
    pub fn to_value(&self) -> Result<Value, serde_json::Error> {
        self.parse()
    }

    /// Whether the value is an object.
    #[must_use]
    pub fn is_object(&self) -> bool {
        self.get().starts_with('{')
    }
}

impl fmt::Debug for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get())
    }
}

impl fmt::Display for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get())
    }
}

impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl Eq for RawJson {}

impl Serialize for RawJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RawJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self)
    }
}

impl From<Box<RawValue>> for RawJson {
    fn from(raw: Box<RawValue>) -> Self {
        Self(raw)
    }
}

impl From<&RawValue> for RawJson {
    fn from(raw: &RawValue) -> Self {
        Self(raw.to_owned())
    }
}

impl From<Value> for RawJson {
    fn from(value: Value) -> Self {
        Self(to_raw_value(&value).expect("a JSON tree has a JSON text"))
    }
}

impl From<JsonObject> for RawJson {
    fn from(object: JsonObject) -> Self {
        Self::from(Value::Object(object))
    }
}
