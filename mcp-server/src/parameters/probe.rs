//! What names a struct reads, learnt from its own implementation of `Deserialize`.
//!
//! Motivation: a JSON schema has a field's name and none of its aliases. Bounds would not hold for a
//! value that comes under an alias, unless that is known to be the field's.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    mem::{Discriminant, discriminant},
};

use serde::{
    Deserialize, Deserializer,
    de::{self, DeserializeSeed, MapAccess, Visitor, value::BorrowedStrDeserializer},
    forward_to_deserialize_any,
};

/// A name that a struct reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StructMember {
    pub(crate) name: &'static str,
    /// Stands for the field: the same for its name and its aliases. None where that cannot be told.
    pub(crate) field: Option<u64>,
}

/// The names that a struct reads, as serde tells them: aliases among them, in order of declaration.
/// None where it reads a map, as with `flatten`.
pub fn members_of<T: for<'de> Deserialize<'de>>() -> Vec<StructMember> {
    let names = probe::<T>("").names;
    // Keys that are kept as text, say, are no enum of fields: they do not tell one from the other.
    let tells = names.first().is_none_or(|first| {
        let other = probe::<T>("\u{0}no such field").field;
        other.is_none() || other != probe::<T>(first).field
    });
    names
        .iter()
        .map(|name| StructMember {
            name,
            field: probe::<T>(name).field.filter(|_| tells),
        })
        .collect()
}

/// What a struct asked for, and what it made of a key.
#[derive(Debug, Default)]
struct Found {
    names: &'static [&'static str],
    field: Option<u64>,
}

/// Offers a struct one key.
fn probe<T: for<'de> Deserialize<'de>>(key: &str) -> Found {
    let mut found = Found::default();
    // It always fails: what matters is what it asks for.
    let _ = T::deserialize(Probe {
        key,
        found: &mut found,
    });
    found
}

struct Probe<'p> {
    key: &'p str,
    found: &'p mut Found,
}

fn only_asked<E: de::Error>() -> E {
    de::Error::custom("only asked for its members")
}

impl<'de> Deserializer<'de> for Probe<'de> {
    type Error = serde_json::Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
        Err(only_asked())
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.found.names = fields;
        visitor.visit_map(self)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct seq tuple tuple_struct map enum identifier
        ignored_any
    }
}

impl<'de> MapAccess<'de> for Probe<'de> {
    type Error = serde_json::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Self::Error> {
        let field = seed.deserialize(BorrowedStrDeserializer::new(self.key))?;
        self.found.field = Some(number_of(&discriminant(&field)));
        // No value is at hand for it.
        Err(only_asked())
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, _: S) -> Result<S::Value, Self::Error> {
        Err(only_asked())
    }
}

/// A derived struct reads its keys into an enum of its fields, whose variants this tells apart.
fn number_of<T>(variant: &Discriminant<T>) -> u64 {
    let mut hasher = DefaultHasher::new();
    variant.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    #![allow(dead_code, reason = "structs that are only probed")]

    use std::collections::BTreeMap;

    use super::*;

    /// The names, each with the place of the first one of the same field.
    fn groups<T: for<'de> Deserialize<'de>>() -> Vec<(&'static str, Option<usize>)> {
        let members = members_of::<T>();
        let first = |field| members.iter().position(|member| member.field == field);
        members
            .iter()
            .map(|member| (member.name, member.field.and_then(|_| first(member.field))))
            .collect()
    }

    #[test]
    fn aliases_are_told_by_their_field() {
        #[derive(Deserialize)]
        struct Wrapped(Order);

        #[derive(Deserialize)]
        struct Order {
            #[serde(alias = "amt", alias = "qty")]
            amount: u32,
            #[serde(rename = "theNote", alias = "note")]
            note: String,
            #[serde(skip)]
            skipped: bool,
            last: Option<bool>,
        }
        assert_eq!(
            groups::<Order>(),
            [
                ("amount", Some(0)),
                ("amt", Some(0)),
                ("qty", Some(0)),
                ("note", Some(3)),
                ("theNote", Some(3)),
                ("last", Some(5)),
            ]
        );
        assert_eq!(groups::<Wrapped>(), groups::<Order>());
    }

    #[test]
    fn structs_that_refuse_other_names_tell_theirs_too() {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Strict {
            #[serde(alias = "b")]
            a: u32,
            c: u32,
        }
        assert_eq!(
            groups::<Strict>(),
            [("a", Some(0)), ("b", Some(0)), ("c", Some(2))]
        );
    }

    #[test]
    fn what_reads_maps_has_no_members() {
        #[derive(Deserialize)]
        struct Flat {
            a: u32,
            #[serde(flatten)]
            rest: BTreeMap<String, u32>,
        }
        assert_eq!(groups::<Flat>(), []);
        assert_eq!(groups::<BTreeMap<String, u32>>(), []);
    }

    #[test]
    fn keys_that_stay_text_tell_nothing() {
        struct ByHand;

        impl<'de> Deserialize<'de> for ByHand {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Keys;

                impl<'de> Visitor<'de> for Keys {
                    type Value = ByHand;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("a map")
                    }

                    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ByHand, A::Error> {
                        while map.next_entry::<String, u32>()?.is_some() {}
                        Ok(ByHand)
                    }
                }

                deserializer.deserialize_struct("ByHand", &["a", "b"], Keys)
            }
        }
        assert_eq!(groups::<ByHand>(), [("a", None), ("b", None)]);
    }
}
