//! [`ByName`]: structs that are read from JSON objects and from nothing else.

use std::ops::Deref;

use serde::{Deserialize, Deserializer, de::Visitor};

/// A struct whose members stand under their names.
///
/// Motivation: a derived struct is read from an array as well, its members in order. So an array
/// would pass for a message, or for a part of one, that has to be an object. This asks for a map
/// where the struct asks for a struct, at no cost; the members of the struct are read as they are,
/// and each that is a struct itself needs its own `ByName`.
///
/// ```
/// use mcp_core::rpc::ByName;
/// use serde::Deserialize;
///
/// #[derive(Deserialize)]
/// struct Params {
///     name: String,
/// }
///
/// assert_eq!(serde_json::from_str::<Params>(r#"["add"]"#)?.name, "add");
/// assert!(serde_json::from_str::<ByName<Params>>(r#"["add"]"#).is_err());
/// assert_eq!(serde_json::from_str::<ByName<Params>>(r#"{"name":"add"}"#)?.name, "add");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ByName<T>(pub T);

impl<T> Deref for ByName<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for ByName<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(MapForStruct(deserializer)).map(Self)
    }
}

/// Reads a map where a struct is asked for; passes on the rest.
struct MapForStruct<D>(D);

macro_rules! pass_on {
    ($($method:ident($($argument:ident: $type:ty),*))*) => {$(
        fn $method<V: Visitor<'de>>(self, $($argument: $type,)* visitor: V) -> Result<V::Value, D::Error> {
            self.0.$method($($argument,)* visitor)
        }
    )*};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for MapForStruct<D> {
    type Error = D::Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(visitor)
    }

    fn is_human_readable(&self) -> bool {
        self.0.is_human_readable()
    }

    pass_on! {
        deserialize_any()
        deserialize_bool()
        deserialize_i8()
        deserialize_i16()
        deserialize_i32()
        deserialize_i64()
        deserialize_i128()
        deserialize_u8()
        deserialize_u16()
        deserialize_u32()
        deserialize_u64()
        deserialize_u128()
        deserialize_f32()
        deserialize_f64()
        deserialize_char()
        deserialize_str()
        deserialize_string()
        deserialize_bytes()
        deserialize_byte_buf()
        deserialize_option()
        deserialize_unit()
        deserialize_unit_struct(name: &'static str)
        deserialize_newtype_struct(name: &'static str)
        deserialize_seq()
        deserialize_tuple(len: usize)
        deserialize_tuple_struct(name: &'static str, len: usize)
        deserialize_map()
        deserialize_enum(name: &'static str, variants: &'static [&'static str])
        deserialize_identifier()
        deserialize_ignored_any()
    }
}
