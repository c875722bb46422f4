//! A map of a few entries: a call has one or two questions, flows and memos.

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
        self.iter()
            .find_map(|(known, value)| (known == name).then_some(value))
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

    pub(crate) fn len(&self) -> usize {
        self.0.len()
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
        assert_eq!(few.iter().collect::<Vec<_>>(), [("a", &7), ("c", &2)]);
    }
}
