//! A map of a few entries: a call has one or two questions, flows and memos.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Entries by name, in the order of their names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Few<V>(Vec<(String, V)>);

impl<V> Default for Few<V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<V> Few<V> {
    pub(crate) fn get(&self, name: &str) -> Option<&V> {
        self.place(name).ok().map(|at| &self.0[at].1)
    }

    pub(crate) fn get_mut(&mut self, name: &str) -> Option<&mut V> {
        self.place(name).ok().map(|at| &mut self.0[at].1)
    }

    /// Puts an entry in, and gives the one that it replaces.
    pub(crate) fn insert(&mut self, name: String, value: V) -> Option<V> {
        match self.place(&name) {
            Ok(at) => Some(std::mem::replace(&mut self.0[at].1, value)),
            Err(at) => {
                self.0.insert(at, (name, value));
                None
            }
        }
    }

    pub(crate) fn remove(&mut self, name: &str) -> Option<V> {
        let at = self.place(name).ok()?;
        Some(self.0.remove(at).1)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &V)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    fn place(&self, name: &str) -> Result<usize, usize> {
        self.0
            .binary_search_by(|(known, _)| known.as_str().cmp(name))
    }
}

impl<V: Serialize> Serialize for Few<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

/// Refuses a name that comes twice.
impl<'de, V: Deserialize<'de>> Deserialize<'de> for Few<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<V>(PhantomData<V>);

        impl<'de, V: Deserialize<'de>> Visitor<'de> for Entries<V> {
            type Value = Few<V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Few<V>, A::Error> {
                let mut few = Few::default();
                while let Some((name, value)) = access.next_entry()? {
                    if few.insert(name, value).is_some() {
                        return Err(A::Error::custom("a name comes twice"));
                    }
                }
                Ok(few)
            }
        }

        deserializer.deserialize_map(Entries(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_replaced_and_removed() {
        let mut few = Few::default();
        for (at, name) in ["b", "a", "c"].into_iter().enumerate() {
            assert_eq!(few.insert(name.to_owned(), at), None);
        }
        assert_eq!(few.insert("a".to_owned(), 7), Some(1));
        assert_eq!((few.get("a"), few.get("d")), (Some(&7), None));
        assert_eq!((few.remove("b"), few.remove("b")), (Some(0), None));
        assert_eq!(
            serde_json::to_string(&few).ok().as_deref(),
            Some(r#"{"a":7,"c":2}"#)
        );
    }
}
