//! How long and for whom a result may be kept.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize};

/// Who may share a kept result.
///
/// A result without it counts as private, the careful choice, and so does one with a scope that this revision does
/// not define.
///
/// Specification: server/utilities/caching.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum CacheScope {
    /// Everybody: there is nothing of one user's in it.
    Public,
    /// Only whoever has the same authorization.
    #[default]
    Private,
}

impl<'de> Deserialize<'de> for CacheScope {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        Ok(match &*name {
            "public" => Self::Public,
            _ => Self::Private,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::super::ListToolsResult;
    use super::*;

    fn hints(ttl: serde_json::Value, scope: &str) -> (Option<u64>, Option<CacheScope>) {
        let list = json!({"tools": [], "ttlMs": ttl, "cacheScope": scope});
        let list: ListToolsResult = serde_json::from_value(list).unwrap();
        (list.ttl_ms, list.cache_scope)
    }

    #[test]
    fn hints_that_make_no_sense_are_read_with_care_and_sink_no_result() {
        let private = Some(CacheScope::Private);
        assert_eq!(
            hints(json!(300_000), "public"),
            (Some(300_000), Some(CacheScope::Public))
        );
        assert_eq!(hints(json!(-1), "private"), (Some(0), private));
        assert_eq!(hints(json!(1.5), "Public"), (Some(1), private));
        assert_eq!(hints(json!("1"), "everyone"), (None, private));
        assert_eq!(hints(json!(1e30), "private"), (Some(u64::MAX), private));
    }
}
