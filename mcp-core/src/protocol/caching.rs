//! How long and for whom a result may be kept.

use serde::{Deserialize, Serialize};

/// Who may share a kept result.
///
/// A result without it counts as private, the careful choice.
///
/// Specification: server/utilities/caching.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum CacheScope {
    /// Everybody: there is nothing of one user's in it.
    Public,
    /// Only whoever has the same authorization.
    #[default]
    Private,
}
