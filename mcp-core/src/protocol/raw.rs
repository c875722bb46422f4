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
/// Two of these are equal when their texts are. The text has no line breaks, so that it can be part of a message
/// on one line; those between the members of what is taken in become spaces.
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
        RawValue::from_string(text.into()).map(Self::from)
    }

    /// Serialises a value.
    ///
    /// # Errors
    ///
    /// The value has no JSON form, such as a map whose keys are not strings.
    pub fn from_serialize<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        to_raw_value(value).map(Self::from)
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
        Box::<RawValue>::deserialize(deserializer).map(Self::from)
    }
}

impl From<Box<RawValue>> for RawJson {
    fn from(raw: Box<RawValue>) -> Self {
        if memchr::memchr2(b'\n', b'\r', raw.get().as_bytes()).is_none() {
            return Self(raw);
        }
        // Inside a string they would be escaped: these only separate.
        let line = raw.get().replace(['\n', '\r'], " ");
        Self(RawValue::from_string(line).expect("white space of one kind may stand for the other"))
    }
}

impl From<&RawValue> for RawJson {
    fn from(raw: &RawValue) -> Self {
        Self::from(raw.to_owned())
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_text_has_no_line_breaks() {
        let text = "{\r\n  \"a\": \"x\\ny\",\n  \"b\": [1,\n2]\n}";
        let tree: Value = serde_json::from_str(text).unwrap();
        let borrowed: &RawValue = serde_json::from_str(text).unwrap();
        for raw in [
            RawJson::from_text(text).unwrap(),
            serde_json::from_str(text).unwrap(),
            RawJson::from(borrowed),
        ] {
            assert!(!raw.get().contains(['\n', '\r']), "{raw}");
            assert_eq!(raw.to_value().unwrap(), tree);
        }
    }

    #[test]
    fn every_digit_survives() {
        let text = r#"{"large":18446744073709551616,"exact":1.000000000000000000001}"#;
        assert_eq!(RawJson::from_text(text).unwrap().to_string(), text);
    }

    #[test]
    fn what_is_no_json_is_refused() {
        assert!(RawJson::from_text("{").is_err());
        assert!(RawJson::from_text("1 2").is_err());
        assert!(RawJson::from_serialize(&std::collections::HashMap::from([((), 1)])).is_err());
    }
}
