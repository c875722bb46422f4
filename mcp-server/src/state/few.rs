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

    /// Puts an entry in after all others; `None` where its name does not come after theirs.
    pub(crate) fn push(&mut self, name: String, value: V) -> Option<()> {
        if self.0.last().is_some_and(|(last, _)| *last >= name) {
            return None;
        }
        self.0.push((name, value));
        Some(())
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

/// The places of names in the order of the names; nothing where a name comes twice.
///
/// The names alone are sorted, as everywhere: each type that is sorted is some 5 KB of the standard library.
pub(crate) fn in_order(names: &[&str]) -> Option<Vec<usize>> {
    if names.is_sorted_by(|a, b| a < b) {
        return Some((0..names.len()).collect());
    }
    let mut sorted = names.to_vec();
    sorted.sort_unstable();
    if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        return None;
    }
    let mut places = vec![0; names.len()];
    for (place, name) in names.iter().enumerate() {
        places[sorted.partition_point(|other| other < name)] = place;
    }
    Some(places)
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
            (few.push("c".to_owned(), 8), few.push("b".to_owned(), 8)),
            (None, None)
        );
        assert_eq!(few.iter().collect::<Vec<_>>(), [("a", &7), ("c", &2)]);
        assert_eq!(
            (few.push("d".to_owned(), 9), few.get("d")),
            (Some(()), Some(&9))
        );
    }

    /// What a peer sends is looked up by name: a scan of all entries for each of them would take minutes here.
    #[test]
    fn many_entries_are_found_soon() {
        let names: Vec<String> = (0..100_000).map(|at| format!("{at:06}")).collect();
        let mut few = Few::default();
        for name in &names {
            few.insert(name.clone(), ());
        }
        let begun = std::time::Instant::now();
        assert!(names.iter().all(|name| few.get(name).is_some()));
        assert!(begun.elapsed() < std::time::Duration::from_secs(5));
    }

    #[test]
    fn names_have_an_order_unless_one_repeats() {
        assert_eq!(in_order(&[]), Some(vec![]));
        assert_eq!(in_order(&["a", "b"]), Some(vec![0, 1]));
        assert_eq!(in_order(&["c", "a", "b"]), Some(vec![1, 2, 0]));
        assert_eq!(in_order(&["a", "a"]), None);
        assert_eq!(in_order(&["b", "a", "b"]), None);
    }
}
