//! The protocol revisions that this library speaks.

use std::fmt;
use std::str::FromStr;

/// A revision of the Model Context Protocol.
///
/// A request of 2026-07-28 names its revision in `_meta`; older peers agree on one in a handshake, when they connect.
/// Everything that differs between revisions asks this type.
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
    /// Revision 2024-11-05: the first one, with HTTP+SSE.
    V2024_11_05,
    /// Revision 2025-03-26: Streamable HTTP, batches, annotations of tools.
    V2025_03_26,
    /// Revision 2025-06-18: structured content, elicitation; no batches any more.
    V2025_06_18,
    /// Revision 2025-11-25: elicitation by URL, sampling with tools. The last one with a handshake.
    V2025_11_25,
    /// Revision 2026-07-28: requests describe themselves, there is no session and no handshake.
    V2026_07_28,
}

impl Revision {
    /// The newest revision that this library speaks.
    pub const LATEST: Self = Self::V2026_07_28;

    /// All revisions that this library speaks, oldest first.
    pub const SUPPORTED: &'static [Self] = &[
        Self::V2024_11_05,
        Self::V2025_03_26,
        Self::V2025_06_18,
        Self::V2025_11_25,
        Self::V2026_07_28,
    ];

    /// Those in which a connection begins with a handshake, oldest first.
    pub const LEGACY: &'static [Self] = Self::SUPPORTED.split_at(4).0;

    /// Those in which every request describes itself, oldest first.
    pub const MODERN: &'static [Self] = Self::SUPPORTED.split_at(4).1;

    /// Whether a connection of this revision begins with a handshake.
    #[must_use]
    pub const fn is_legacy(self) -> bool {
        !matches!(self, Self::V2026_07_28)
    }

    /// The revision of this name, if it is one that a request may name in its `_meta`.
    #[must_use]
    pub fn modern(name: &str) -> Option<Self> {
        Self::MODERN.iter().copied().find(|r| r.as_str() == name)
    }

    /// The names of all [modern](Self::MODERN) revisions, oldest first: what `server/discover` lists, and what a peer is told
    /// that asked for another. The others cannot be asked for in a request.
    #[must_use]
    pub fn modern_names() -> Vec<&'static str> {
        Self::MODERN.iter().map(|r| r.as_str()).collect()
    }

    /// The name that travels on the wire, such as `2026-07-28`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
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
    fn handshakes_end_with_2025_11_25() {
        let names =
            |revisions: &[Revision]| revisions.iter().map(|r| r.as_str()).collect::<Vec<_>>();
        let legacy = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
        assert_eq!(names(Revision::LEGACY), legacy);
        assert_eq!(Revision::modern_names(), ["2026-07-28"]);
        for revision in Revision::SUPPORTED {
            let is_legacy = legacy.contains(&revision.as_str());
            assert_eq!(revision.is_legacy(), is_legacy);
            assert_eq!(Revision::modern(revision.as_str()).is_none(), is_legacy);
        }
        assert!(Revision::SUPPORTED.is_sorted());
    }

    #[test]
    fn an_unknown_revision_is_refused_with_the_supported_ones() {
        let error = "2030-01-01".parse::<Revision>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "unsupported protocol version \"2030-01-01\", supported: 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, \
             2026-07-28"
        );
        assert!("2026-07-28 ".parse::<Revision>().is_err());
    }
}
