//! Reads values from text: the arguments of prompts and the variables of URI templates are text on the
//! wire, whatever the type of the parameter.
//!
//! The parameter's type decides how the text is read, so `"5"` is a number where one is asked for and
//! stays text where text is.

use std::{borrow::Cow, fmt::Display, str::FromStr};

use serde::{
    Deserialize, Deserializer,
    de::{Error as _, IntoDeserializer, Visitor, value::MapDeserializer},
};
use serde_json::Error;

use super::Members;

/// A value that came as text.
pub(super) struct Text<'a>(Cow<'a, str>);

impl<'a> Text<'a> {
    /// Takes the text out of its JSON; `None` for a value that is no text.
    pub(super) fn of(json: &'a str) -> Option<Self> {
        #[derive(Deserialize)]
        struct Borrowed<'a>(#[serde(borrow)] Cow<'a, str>);
        let Borrowed(text) = serde_json::from_str(json).ok()?;
        Some(Self(text))
    }

    fn parse<T: FromStr<Err: Display>>(&self) -> Result<T, Error> {
        // The text itself may be anybody's: only what is wrong with it is told.
        self.0.parse().map_err(Error::custom)
    }

    /// A number as JSON has them: nobody who takes numbers from there expects `NaN`.
    fn parse_finite<T: FromStr<Err: Display>>(
        &self,
        is_finite: impl FnOnce(&T) -> bool,
    ) -> Result<T, Error> {
        let number = self.parse()?;
        if is_finite(&number) {
            Ok(number)
        } else {
            Err(Error::custom("a finite number is expected"))
        }
    }
}

/// Reads a struct whose members came as text.
pub(crate) fn from_text_members<'de, T: Deserialize<'de>>(arguments: &'de str) -> Result<T, Error> {
    let mut members = Vec::new();
    for member in Members::of(arguments) {
        let (name, value) = member.ok_or_else(|| Error::custom("not an object"))?;
        let text =
            Text::of(value).ok_or_else(|| Error::custom(format_args!("`{name}` must be text")))?;
        members.push((name, text));
    }
    T::deserialize(MapDeserializer::new(members.into_iter()))
}

macro_rules! parsed {
    ($($method:ident $visit:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            visitor.$visit(self.parse()?)
        }
    )*};
}

impl<'de> Deserializer<'de> for Text<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
            Cow::Owned(text) => visitor.visit_string(text),
        }
    }

    parsed! {
        deserialize_bool visit_bool
        deserialize_i8 visit_i8
        deserialize_i16 visit_i16
        deserialize_i32 visit_i32
        deserialize_i64 visit_i64
        deserialize_i128 visit_i128
        deserialize_u8 visit_u8
        deserialize_u16 visit_u16
        deserialize_u32 visit_u32
        deserialize_u64 visit_u64
        deserialize_u128 visit_u128
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_f32(self.parse_finite(|number: &f32| number.is_finite())?)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_f64(self.parse_finite(|number: &f64| number.is_finite())?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_enum(self.0.into_deserializer())
    }

    serde::forward_to_deserialize_any! {
        char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier
        ignored_any
    }
}

impl<'de> IntoDeserializer<'de, Error> for Text<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Size {
        Small,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct All {
        text: String,
        number: u64,
        half: f64,
        yes: bool,
        size: Size,
        left_out: Option<i32>,
        given: Option<i32>,
    }

    #[test]
    fn each_member_is_read_by_its_type() {
        let json = r#"{"text":"5","number":"18446744073709551615","half":"0.5","yes":"true","size":"small","given":"-3"}"#;
        let all: All = from_text_members(json).unwrap();
        let expected = All {
            text: "5".to_owned(),
            number: u64::MAX,
            half: 0.5,
            yes: true,
            size: Size::Small,
            left_out: None,
            given: Some(-3),
        };
        assert_eq!(all, expected);
    }

    #[test]
    fn text_that_does_not_fit_is_not_repeated() {
        #[derive(Debug, Deserialize)]
        #[expect(dead_code)]
        struct One {
            number: u8,
        }
        for value in ["256", "1.0", "", " 1", "secret"] {
            let json = format!(r#"{{"number":"{value}"}}"#);
            let error = from_text_members::<One>(&json).unwrap_err().to_string();
            assert!(!error.contains("secret"), "{error}");
        }
        assert!(from_text_members::<One>(r#"{"number":5}"#).is_err());
    }
}
