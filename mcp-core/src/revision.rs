//! The protocol revisions that this library speaks.

use std::fmt;
use std::str::FromStr;

/// A revision of the Model Context Protocol.
///
/// A request names its revision in `_meta`, and everything that differs between revisions asks this type.
///
/// Specification: basic/versioning.
///
/// ```
/// use mcp_core::Revision;
///
/// let revision: Revision = "2026-07-28".parse()?;
/// assert_eq!(revision, Revision::LATEST);
/// # Ok::<(), mcp_core::revision::UnsupportedRevision>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Revision {
    /// Revision 2026-07-28: requests describe themselves, there is no session and no handshake.
    V2026_07_28,
}

impl Revision {
    /// The newest revision that this library speaks.
    pub const LATEST: Self = Self::V2026_07_28;

    /// All revisions that this library speaks, oldest first.
    pub const SUPPORTED: &'static [Self] = &[Self::V2026_07_28];

    /// The names of all revisions that this library speaks, oldest first, for a peer that asked for another.
    #[must_use]
    pub fn supported_names() -> Vec<&'static str> {
        Self::SUPPORTED.iter().map(|r| r.as_str()).collect()
    }

    /// The name that travels on the wire, such as `2026-07-28`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2026_07_28 => "2026-07-28",
        }
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Revision {
    type Err = UnsupportedRevision;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::SUPPORTED
            .iter()
            .copied()
            .find(|revision| revision.as_str() == name)
            .ok_or_else(|| UnsupportedRevision {
                requested: name.to_owned(),
            })
    }
}

/// The peer asked for a revision that this library does not speak.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsupportedRevision {
    /// What the peer asked for.
    pub requested: String,
}

impl fmt::Display for UnsupportedRevision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "unsupported protocol version {:?}, supported: ",
            self.requested
        )?;
        for (index, revision) in Revision::SUPPORTED.iter().enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            f.write_str(revision.as_str())?;
        }
        Ok(())
    }
}

impl std::error::Error for UnsupportedRevision {}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn every_supported_revision_parses_from_its_name() {
        for revision in Revision::SUPPORTED {
            assert_eq!(revision.as_str().parse::<Revision>().unwrap(), *revision);
        }
        assert_eq!(Revision::LATEST.to_string(), "2026-07-28");
    }

    #[test]
    fn an_unknown_revision_is_refused_with_the_supported_ones() {
        let error = "2030-01-01".parse::<Revision>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "unsupported protocol version \"2030-01-01\", supported: 2026-07-28"
        );
        assert!("2026-07-28 ".parse::<Revision>().is_err());
    }
}
