//! What a claim is on.

use std::fmt;
use std::sync::Arc;

use crate::state::{Digest, ExchangeId};

/// The longest own key that stays readable, in bytes; longer ones are hashed, so that a store can bound its keys.
const LONGEST: usize = 200;

/// Names what may happen once: an exchange, or a tool's own key.
///
/// Keys of different tools never meet, whatever the values are.
///
/// ```
/// use mcp_server::once::ClaimKey;
///
/// assert_eq!(ClaimKey::new("issue_refund", "R-0111").as_str(), "key:12:issue_refund:R-0111");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClaimKey(Arc<str>);

impl ClaimKey {
    /// The key `value` of a tool.
    #[must_use]
    pub fn new(tool: &str, value: impl fmt::Display) -> Self {
        // With its length before it, a tool's name cannot run into the value.
        let text = format!("key:{}:{tool}:{value}", tool.len());
        if text.len() <= LONGEST {
            return Self(text.into());
        }
        let digest = Digest::of_parts("mcp-server claim key", [text.as_bytes()]);
        Self(format!("hash:{}", digest.encode()).into())
    }

    /// The exchange itself: the call with all its retries.
    #[allow(dead_code, reason = "the dispatcher is its only user")]
    pub(crate) fn exchange(id: ExchangeId) -> Self {
        Self(format!("exchange:{id}").into())
    }

    /// The key as a text of at most 200 bytes, for a store.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ClaimKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn different_things_have_different_keys() {
        let id = ExchangeId::random().unwrap();
        let long = "x".repeat(5_000);
        let keys = [
            ClaimKey::new("a", "b:c"),
            ClaimKey::new("a:b", "c"),
            ClaimKey::new("b", "b:c"),
            ClaimKey::new("a", &long),
            ClaimKey::new("a", format!("{long}y")),
            ClaimKey::exchange(id),
            ClaimKey::new("exchange", id),
        ];
        for (at, key) in keys.iter().enumerate() {
            assert!(!keys[..at].contains(key), "{key}");
            assert!(key.as_str().len() <= LONGEST, "{key}");
        }
        assert_eq!(ClaimKey::new("a", 7), ClaimKey::new("a", "7"));
    }
}
