//! Digests: of a call's arguments by their meaning, and of anything else by its parts.

use std::fmt;

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use super::base64url;
use super::record::each_byte;

mod canonical;

/// A SHA-256 digest, whole.
#[derive(Clone, Copy)]
pub(crate) struct Digest(pub(super) [u8; 32]);

impl Digest {
    /// The digest of some parts, each with its length, so that moving bytes from one to the next changes it. `label`
    /// keeps digests of different things apart.
    pub(crate) fn of_parts(label: &str, parts: &[&[u8]]) -> Self {
        let mut hash = Sha256::new();
        for part in [label.as_bytes()].iter().chain(parts) {
            // In one byte mostly: what is hashed takes a block less.
            each_byte(part.len() as u64, &mut |byte| hash.update([byte]));
            hash.update(part);
        }
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
    Ok(Digest::of_parts("arguments", &[&canonical]))
}

#[cfg(test)]
mod tests;
