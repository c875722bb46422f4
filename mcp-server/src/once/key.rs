//! What a claim is on.

use std::fmt;
use std::sync::Arc;

use crate::state::{Digest, ExchangeId};

/// The longest own key that stays readable, in bytes; longer ones are hashed, so that a store can bound its keys.
const LONGEST: usize = 200;

/// What the keys of exchanges begin with.
const EXCHANGE: &str = "exchange:";

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
        let digest = Digest::of_parts("mcp-server claim key", &[text.as_bytes()]).encode();
        let hashed = format!("hash:{}:{tool}:{digest}", tool.len());
        if hashed.len() <= LONGEST {
            return Self(hashed.into());
        }
        Self(format!("hash:0::{digest}").into())
    }

    /// The exchange itself: a call of a tool, with all its retries.
    pub(crate) fn exchange(tool: &str, id: ExchangeId) -> Self {
        Self(format!("{EXCHANGE}{}:{tool}:{id}", tool.len()).into())
    }

    /// Whether it is an exchange, and no key of a tool's own.
    pub(crate) fn is_exchange(&self) -> bool {
        self.0.starts_with(EXCHANGE)
    }

    /// The tool that it belongs to; empty where the name is too long to stand in a key.
    pub(crate) fn tool(&self) -> &str {
        let named = self.0.split_once(':').and_then(|(_, rest)| {
            let (length, rest) = rest.split_once(':')?;
            rest.get(..length.parse().ok()?)
        });
        named.unwrap_or_default()
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
            ClaimKey::new("b", &long),
            ClaimKey::exchange("a", id),
            ClaimKey::new("exchange", id),
            ClaimKey::new(&long, 1),
            ClaimKey::new(&long, 2),
        ];
        for (at, key) in keys.iter().enumerate() {
            assert!(!keys[..at].contains(key), "{key}");
            assert!(key.as_str().len() <= LONGEST, "{key}");
        }
        assert_eq!(ClaimKey::new("a", 7), ClaimKey::new("a", "7"));
    }

    #[test]
    fn a_key_tells_its_tool_and_its_kind() {
        let id = ExchangeId::random().unwrap();
        let long = "x".repeat(5_000);
        for (key, tool, is_exchange) in [
            (ClaimKey::new("a:b", "c:d"), "a:b", false),
            (ClaimKey::new("é", &long), "é", false),
            (ClaimKey::new("exchange:1:x", 1), "exchange:1:x", false),
            (ClaimKey::exchange("a:b", id), "a:b", true),
            (ClaimKey::new(&long, 1), "", false),
        ] {
            assert_eq!(
                (key.tool(), key.is_exchange()),
                (tool, is_exchange),
                "{key}"
            );
        }
    }
}
