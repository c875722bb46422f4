//! Digests: of a call's arguments by their meaning, and of anything else by its parts.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use super::base64url;

mod canonical;

/// A SHA-256 digest, whole.
#[derive(Clone, Copy)]
pub(crate) struct Digest([u8; 32]);

impl Digest {
    /// The digest of some parts, each with its length, so that moving bytes from one to the next changes it. `label`
    /// keeps digests of different things apart.
    pub(crate) fn of_parts<'a>(label: &str, parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut hash = Sha256::new();
        let mut add = |part: &[u8]| {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        };
        add(label.as_bytes());
        parts.into_iter().for_each(&mut add);
        Self(hash.finalize().into())
    }

    /// Stands for the digest of nothing, where there is nothing to tell apart.
    pub(crate) const NOTHING: Self = Self([0; 32]);

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// In base64url.
    pub(crate) fn encode(&self) -> String {
        base64url::encode(&self.0)
    }
}

impl PartialEq for Digest {
    fn eq(&self, other: &Self) -> bool {
        let words = |digest: &Self| {
            let (words, _) = digest.0.as_chunks::<8>();
            [words[0], words[1], words[2], words[3]].map(u64::from_ne_bytes)
        };
        words(self)[..].ct_eq(&words(other)).into()
    }
}

impl Eq for Digest {}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({})", self.encode())
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.serialize_str(&self.encode())
        } else {
            // Most questions depend on nothing: that takes no room in a state.
            let bytes: &[u8] = if *self == Self::NOTHING { &[] } else { &self.0 };
            serializer.serialize_bytes(bytes)
        }
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let digest = if deserializer.is_human_readable() {
            base64url::decode_array(&Cow::<str>::deserialize(deserializer)?)
        } else {
            match <&[u8]>::deserialize(deserializer)? {
                [] => Some(Self::NOTHING.0),
                bytes => bytes.try_into().ok(),
            }
        };
        digest
            .map(Self)
            .ok_or_else(|| serde::de::Error::custom("not a digest"))
    }
}

/// Why arguments have no digest: such a call is refused with `-32602`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DigestError {
    #[error("the arguments are not valid JSON")]
    NotJson,
    #[error("the arguments must be an object")]
    NotAnObject,
    #[error("an object in the arguments has the same key twice")]
    DuplicateKey,
    #[error(
        "the arguments are nested too deeply: {} levels are the limit",
        canonical::MAX_DEPTH
    )]
    TooDeep,
}

/// The digest of a call's arguments as the client wrote them, or `None` for a call without.
///
/// An honest retry may come re-serialised, so it is taken over what the text means: keys sorted, strings decoded,
/// numbers by value. `1`, `1.0` and `1e0` are the same; integers are exact at any size; other numbers are compared as
/// the double that they round to. Absent arguments equal `{}`, and an argument that is `null` equals one that is absent, which is
/// how an optional argument is decoded. It is never taken over `_meta`.
pub(crate) fn digest_arguments(arguments: Option<&str>) -> Result<Digest, DigestError> {
    let canonical = canonical::arguments(arguments.unwrap_or("{}"))?;
    Ok(Digest::of_parts("mcp-server arguments", [&canonical[..]]))
}

#[cfg(test)]
mod tests;
