//! The key ring: the first key seals, every key opens, so that keys can be rotated while calls are paused.

use hkdf::Hkdf;
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use super::key::{Key, KeyError, parse_list};

/// One or more keys: the first seals, every key opens.
///
/// To rotate without losing a paused call, deploy three rings, each to all replicas before the next: `[old, new]`,
/// then `[new, old]`, then, after one lifetime of the state, `[new]`.
///
/// ```
/// use mcp_server::state::{Key, KeyRing};
///
/// let (old, new) = (Key::generate()?, Key::generate()?);
/// let ring = KeyRing::new([new, old])?;
/// assert_eq!(ring.len(), 2);
/// # Ok::<(), mcp_server::state::KeyError>(())
/// ```
#[derive(Clone, Debug)]
pub struct KeyRing {
    keys: Vec<Key>,
}

impl KeyRing {
    /// Makes a ring of these keys, the one that seals first.
    ///
    /// # Errors
    /// [`KeyError::Empty`] without a key, [`KeyError::Repeated`] when two are the same.
    pub fn new(keys: impl IntoIterator<Item = Key>) -> Result<Self, KeyError> {
        Self::of(keys.into_iter().collect())
    }

    fn of(keys: Vec<Key>) -> Result<Self, KeyError> {
        if keys.is_empty() {
            return Err(KeyError::Empty);
        }
        for (second, key) in keys.iter().enumerate() {
            if let Some(first) = keys[..second]
                .iter()
                .position(|earlier| earlier.same_as(key))
            {
                return Err(KeyError::Repeated {
                    first: first + 1,
                    second: second + 1,
                });
            }
        }
        Ok(Self { keys })
    }

    /// Reads a ring from a text: keys in hexadecimal digits or base64, separated by commas or line ends. Lines that
    /// begin with `#` are passed over.
    ///
    /// # Errors
    /// [`KeyError::At`] names the place of a key that cannot be used; and those of [`KeyRing::new`].
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        Self::of(parse_list(text)?)
    }

    /// How many keys the ring has: never none.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a ring is never empty")]
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether both hold the same keys in the same order.
    pub(crate) fn same_as(&self, other: &Self) -> bool {
        self.keys.len() == other.keys.len()
            && self.keys.iter().zip(&other.keys).all(|(a, b)| a.same_as(b))
    }

    /// Derives each key for one use, named by `label`, and prepares it with `make`.
    pub(crate) fn derive<T>(
        &self,
        label: &[u8],
        make: impl Fn(&[u8; 32]) -> T,
    ) -> Result<DerivedRing<T>, KeyError> {
        let mut entries = Vec::with_capacity(self.keys.len());
        // By reference: a key that is moved out of the vector leaves its bytes behind, where nothing wipes them.
        let derived = self.derived(label)?;
        for (id, key) in &derived {
            entries.push((*id, make(key)));
        }
        Ok(DerivedRing { entries })
    }

    fn derived(&self, label: &[u8]) -> Result<Vec<(KeyId, Derived)>, KeyError> {
        let mut entries: Vec<(KeyId, _)> = Vec::with_capacity(self.keys.len());
        for key in &self.keys {
            let derived = derive_key(key, label);
            let id = KeyId::of(&derived);
            // Four bytes can collide by chance; a state must never be tried under a key that did not seal it.
            if let Some(first) = entries.iter().position(|(earlier, _)| *earlier == id) {
                return Err(KeyError::SameId {
                    first: first + 1,
                    second: entries.len() + 1,
                });
            }
            entries.push((id, derived));
        }
        Ok(entries)
    }
}

impl TryFrom<Key> for KeyRing {
    type Error = KeyError;

    fn try_from(key: Key) -> Result<Self, KeyError> {
        Self::new([key])
    }
}

/// A key for one use.
type Derived = Zeroizing<[u8; 32]>;

/// A ring whose keys are derived and prepared for one codec.
pub(crate) struct DerivedRing<T> {
    /// Never empty; the first seals.
    entries: Vec<(KeyId, T)>,
}

impl<T> DerivedRing<T> {
    pub(crate) fn active(&self) -> &(KeyId, T) {
        &self.entries[0]
    }

    pub(crate) fn find(&self, id: KeyId) -> Option<&T> {
        self.entries
            .iter()
            .find(|(known, _)| *known == id)
            .map(|(_, prepared)| prepared)
    }
}

/// Names a derived key without telling anything about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeyId(pub(crate) [u8; 4]);

impl KeyId {
    fn of(derived: &[u8; 32]) -> Self {
        let hash = Sha256::new_with_prefix(b"mcp-server requestState key id\0")
            .chain_update(derived)
            .finalize();
        Self([hash[0], hash[1], hash[2], hash[3]])
    }
}

fn derive_key(key: &Key, label: &[u8]) -> Derived {
    let mut derived = Zeroizing::new([0; 32]);
    hkdf_sha256(
        Some(b"mcp-server requestState"),
        key.bytes(),
        label,
        &mut *derived,
    );
    derived
}

fn hkdf_sha256(salt: Option<&[u8]>, secret: &[u8], label: &[u8], out: &mut [u8]) {
    Hkdf::<Sha256>::new(salt, secret)
        .expand(label, out)
        .expect("the output is far shorter than the 8160 bytes that HKDF-SHA256 can give");
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::testing::{hex, key};
    use super::*;

    #[test]
    fn rings_are_never_empty_and_never_repeat() {
        assert_eq!(KeyRing::new([]).unwrap_err(), KeyError::Empty);
        assert_eq!(KeyRing::parse("\n,\n").unwrap_err(), KeyError::Empty);
        let error = KeyRing::new([key(1), key(2), key(1)]).unwrap_err();
        assert_eq!(
            error,
            KeyError::Repeated {
                first: 1,
                second: 3
            }
        );
        assert_eq!(
            error.to_string(),
            "keys 1 and 3 are the same: a rotation needs two different keys"
        );
        let text = format!("{},{}", key(1).to_base64(), key(2).to_base64());
        assert!(
            KeyRing::parse(&text)
                .unwrap()
                .same_as(&KeyRing::new([key(1), key(2)]).unwrap())
        );
    }

    #[test]
    fn labels_separate_uses() {
        let ring = KeyRing::new([key(1)]).unwrap();
        let one = ring.derive(b"one", |key| *key).unwrap();
        let two = ring.derive(b"two", |key| *key).unwrap();
        assert_ne!(one.active().1, two.active().1);
        assert_ne!(one.active().0, two.active().0);
        assert_ne!(&one.active().1[..], key(1).bytes());
    }

    #[test]
    fn a_derived_ring_finds_by_id() {
        let ring = KeyRing::new([key(1), key(2)])
            .unwrap()
            .derive(b"use", |key| *key)
            .unwrap();
        let second = KeyRing::new([key(2)])
            .unwrap()
            .derive(b"use", |key| *key)
            .unwrap();
        let (id, derived) = second.active();
        assert_eq!(ring.find(*id), Some(derived));
        assert_eq!(ring.find(KeyId([0; 4])), None);
    }

    /// RFC 5869, appendix A.1 and A.3.
    #[test]
    fn hkdf_published_vectors() {
        let secret = [0x0b; 22];
        let mut out = [0; 42];
        hkdf_sha256(
            Some(&hex("000102030405060708090a0b0c")),
            &secret,
            &hex("f0f1f2f3f4f5f6f7f8f9"),
            &mut out,
        );
        let expected =
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865";
        assert_eq!(out[..], hex(expected));
        hkdf_sha256(None, &secret, b"", &mut out);
        let expected =
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8";
        assert_eq!(out[..], hex(expected));
    }
}
