//! Splits `arguments` into one slot a parameter and decodes each into its type.
//!
//! A tool's parameters are few and known, so one pass finds where each value stands, without a
//! generated struct for each tool, and each value is then parsed once, into its final type.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{self, Visitor},
    forward_to_deserialize_any,
};

use super::{members::Members, text::Text};
use crate::spec::{ArgumentSpec, Extra};

/// Arguments that do not fit: what the parser said.
///
/// The text is a hint only; the caller compares the arguments with the schema for the full story.
#[derive(Debug)]
pub struct ArgumentFault(pub(crate) String);

/// Where each parameter's value stands in the arguments of one call.
#[derive(Debug)]
pub struct Slots<'a, const N: usize> {
    /// Each the JSON of one value.
    values: [Option<&'a str>; N],
    specs: &'a [ArgumentSpec],
    /// Whether the values are text, whatever their types.
    texts: bool,
}

impl<'a, const N: usize> Slots<'a, N> {
    pub(crate) fn split(
        arguments: &'a str,
        specs: &'a [ArgumentSpec],
        extra: Extra,
        texts: bool,
    ) -> Result<Self, ArgumentFault> {
        let mut values = [None; N];
        fill(&mut values, arguments, specs, extra)?;
        Ok(Self {
            values,
            specs,
            texts,
        })
    }

    /// The argument at `index`; an absent one may still be `None`.
    ///
    /// # Errors
    ///
    /// Where it is absent or has another type.
    pub fn get<T: Deserialize<'a>>(&self, index: usize) -> Result<T, ArgumentFault> {
        let slot = self.slot(index);
        if self.texts { slot.text() } else { slot.json() }
    }

    /// The argument of a tool at `index`: [`get`](Self::get) without the code that reads text.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn get_json<T: Deserialize<'a>>(&self, index: usize) -> Result<T, ArgumentFault> {
        self.slot(index).json()
    }

    /// The argument at `index`, or a default where it is absent.
    ///
    /// # Errors
    ///
    /// Where it has another type.
    pub fn get_or<T: Deserialize<'a>>(
        &self,
        index: usize,
        default: impl FnOnce() -> T,
    ) -> Result<T, ArgumentFault> {
        match self.values[index] {
            Some(_) => self.get(index),
            None => Ok(default()),
        }
    }

    /// The argument at `index`, read by functions of the user's.
    ///
    /// # Errors
    ///
    /// What the functions say.
    pub fn get_with<T>(
        &self,
        index: usize,
        present: impl FnOnce(&mut Json<'a>) -> Result<T, serde_json::Error>,
        absent: impl FnOnce(Missing) -> Result<T, IsMissing>,
    ) -> Result<T, ArgumentFault> {
        let slot = self.slot(index);
        match slot.value {
            Some(raw) => present(&mut Json::from_str(raw)).map_err(|error| slot.fault(&error)),
            None => absent(Missing).map_err(|error| slot.fault(&error)),
        }
    }

    fn slot(&self, index: usize) -> Slot<'a> {
        Slot {
            value: self.values[index],
            name: self.specs[index].name,
        }
    }
}

type Json<'a> = serde_json::Deserializer<serde_json::de::StrRead<'a>>;

/// Finds where each parameter's value stands.
fn fill<'a>(
    values: &mut [Option<&'a str>],
    arguments: &'a str,
    specs: &[ArgumentSpec],
    extra: Extra,
) -> Result<(), ArgumentFault> {
    for member in Members::of(arguments) {
        let Some((key, value)) = member else {
            return Err(ArgumentFault("not an object".to_owned()));
        };
        let index = specs
            .iter()
            .position(|spec| spec.name == key || spec.aliases.contains(&&*key));
        match index {
            Some(index) if values[index].is_some() => return Err(twice(specs[index].name)),
            Some(index) => values[index] = Some(value),
            None if extra == Extra::Ignore => {}
            None => return Err(unknown(&key)),
        }
    }
    Ok(())
}

#[cold]
fn twice(name: &str) -> ArgumentFault {
    ArgumentFault(format!("`{name}` is given twice"))
}

#[cold]
fn unknown(key: &str) -> ArgumentFault {
    let name: String = key.chars().take(100).collect();
    ArgumentFault(format!("there is no argument `{name}`"))
}

/// One argument: its value is read by one function for each type, however many tools have such a parameter.
struct Slot<'a> {
    value: Option<&'a str>,
    name: &'static str,
}

impl<'a> Slot<'a> {
    fn json<T: Deserialize<'a>>(&self) -> Result<T, ArgumentFault> {
        match self.value {
            Some(raw) => {
                T::deserialize(&mut Json::from_str(raw)).map_err(|error| self.fault(&error))
            }
            None => T::deserialize(Missing).map_err(|error| self.fault(&error)),
        }
    }

    /// Of a value that is text, whatever its type.
    fn text<T: Deserialize<'a>>(&self) -> Result<T, ArgumentFault> {
        match self.value {
            Some(value) if value != "null" => Text::of(value)
                .ok_or_else(|| de::Error::custom("text is expected"))
                .and_then(T::deserialize)
                .map_err(|error| self.fault(&error)),
            _ => self.json(),
        }
    }

    #[cold]
    fn fault(&self, error: &dyn fmt::Display) -> ArgumentFault {
        ArgumentFault(format!("`{}`: {error}", self.name))
    }
}

/// Stands for an argument that is not there: an `Option` reads it as `None`, any other type refuses.
#[derive(Debug)]
pub struct Missing;

/// What a type says where its argument is not there. [`missing_is_ok`] asks every parameter and reads no text, so the usual
/// case makes none.
#[derive(Debug)]
pub struct IsMissing(Option<String>);

impl<'de> Deserializer<'de> for Missing {
    type Error = IsMissing;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
        Err(IsMissing(None))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_none()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// Whether a type reads an absent argument as a value, as `Option` does.
pub fn missing_is_ok<T: for<'de> Deserialize<'de>>() -> bool {
    T::deserialize(Missing).is_ok()
}

impl de::Error for IsMissing {
    fn custom<T: fmt::Display>(text: T) -> Self {
        Self(Some(text.to_string()))
    }
}

impl fmt::Display for IsMissing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_deref().unwrap_or("it is missing"))
    }
}

impl std::error::Error for IsMissing {}
