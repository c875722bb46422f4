//! [`Cached`]: contents that a client may keep for a while.

use std::time::Duration;

use mcp_core::protocol::CacheScope;

use super::IntoResourceResult;
use crate::{
    builder::millis,
    function::Reply,
    outcome::{CallResult, Outcome},
};

/// Contents of a resource that a client may keep for a while. Without it, they are asked for each time.
///
/// ```
/// use std::time::Duration;
/// use mcp_server::{Cached, prelude::*};
///
/// /// What can be ordered.
/// #[resource("shop://catalogue")]
/// async fn catalogue() -> Cached<&'static str> {
///     Cached::public("- KG-1043, a kettle", Duration::from_secs(300))
/// }
/// ```
///
/// Questions are never kept, and neither is what came after them: it depends on answers, by which nobody looks it up.
///
/// Specification: server/utilities/caching.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cached<R> {
    contents: R,
    ttl: Duration,
    scope: CacheScope,
}

impl<R> Cached<R> {
    /// Contents that are the same for everyone: whoever is in between may keep them, for whomever.
    pub fn public(contents: R, ttl: Duration) -> Self {
        Self {
            contents,
            ttl,
            scope: CacheScope::Public,
        }
    }

    /// Contents that only who has the same authorization may be given.
    pub fn private(contents: R, ttl: Duration) -> Self {
        Self {
            contents,
            ttl,
            scope: CacheScope::Private,
        }
    }
}

impl<R: IntoResourceResult> IntoResourceResult for Cached<R> {
    const BY_HAND: bool = R::BY_HAND;

    fn into_resource_result(self) -> CallResult {
        let mut outcome = self.contents.into_resource_result()?;
        if let Outcome::Complete(Reply::Resource(result)) = &mut outcome {
            result.ttl_ms = Some(millis(self.ttl));
            result.cache_scope = Some(self.scope);
        }
        Ok(outcome)
    }
}
