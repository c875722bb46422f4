//! Why a state was refused: one text for the client, the reason for the operator.

use std::sync::atomic::{AtomicU64, Ordering};

/// Why a `requestState` was refused.
///
/// Clients get [`StateError::CODE`] and [`StateError::MESSAGE`] whatever the reason, so that nobody can probe for it;
/// so does `Display`. The reason goes to logs and counters: [`StateError::reason`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("{}", StateError::MESSAGE)]
#[non_exhaustive]
pub enum StateError {
    /// Not in the form of a state, too long, or sealed but not what we write.
    Malformed,
    /// The seal or signature does not fit.
    Seal,
    /// Sealed under a key that is not in the ring.
    UnknownKey,
    /// Its time is over.
    Expired,
    /// Made for another method, target or arguments.
    RequestBinding,
    /// Made for another caller.
    Principal,
    /// Made for another server.
    Audience,
    /// Issued further in the future than clocks may differ.
    Future,
}

impl StateError {
    /// The JSON-RPC error code of every refusal: invalid params.
    pub const CODE: i64 = -32602;

    /// The error message of every refusal.
    pub const MESSAGE: &'static str = "Invalid or expired requestState";

    /// All reasons, in the order of their counters.
    pub const ALL: [Self; 8] = [
        Self::Malformed,
        Self::Seal,
        Self::UnknownKey,
        Self::Expired,
        Self::RequestBinding,
        Self::Principal,
        Self::Audience,
        Self::Future,
    ];

    /// The reason in words, for the operator. It must not reach the client.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::Seal => "seal",
            Self::UnknownKey => "unknown key",
            Self::Expired => "expired",
            Self::RequestBinding => "request binding",
            Self::Principal => "principal",
            Self::Audience => "audience",
            Self::Future => "future",
        }
    }
}

/// Why a state could not be sealed. The fault is the server's: the client sees an internal error or a tool error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SealError {
    /// What the call has to remember does not fit.
    #[error(
        "the state of this call has {found} bytes, more than the {limit} that fit: keep less in memos, flows and answers"
    )]
    TooLarge {
        /// Its size, in bytes.
        found: usize,
        /// The limit, in bytes.
        limit: usize,
    },
    /// The operating system gave no random bytes.
    #[error("the operating system gave no random bytes")]
    Random,
    /// The codec failed.
    #[error("the state codec failed: {0}")]
    Codec(String),
}

/// Counts refusals by reason, and logs them at a bounded rate.
///
/// A client can send bad states as fast as it likes; it must not fill the disk with log lines by doing so. So each
/// reason is logged at most once a second, with how many were left out since.
#[derive(Debug, Default)]
pub struct StateFailures {
    reasons: [Reason; StateError::ALL.len()],
}

#[derive(Debug, Default)]
struct Reason {
    count: AtomicU64,
    /// The second of the last event, plus one: 0 is never.
    logged: AtomicU64,
    left_out: AtomicU64,
}

impl StateFailures {
    /// How many states were refused for this reason since the start.
    #[must_use]
    pub fn count(&self, reason: StateError) -> u64 {
        self.reasons[reason as usize].count.load(Ordering::Relaxed)
    }

    /// How many states were refused since the start.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.reasons
            .iter()
            .map(|reason| reason.count.load(Ordering::Relaxed))
            .sum()
    }

    /// Counts a refusal at `now` (seconds of any clock), and logs it unless that reason was logged in this second.
    pub(crate) fn record(&self, error: StateError, method: &str, now: u64) {
        let reason = &self.reasons[error as usize];
        reason.count.fetch_add(1, Ordering::Relaxed);
        let this_second = now.saturating_add(1);
        // A lost race between two threads costs one extra line at most.
        if reason.logged.swap(this_second, Ordering::Relaxed) == this_second {
            reason.left_out.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let left_out = reason.left_out.swap(0, Ordering::Relaxed);
        tracing::warn!(
            target: "mcp_server::request_state",
            reason = error.reason(),
            method,
            left_out,
            "requestState refused"
        );
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::testing::logged;
    use super::*;

    #[test]
    fn the_client_sees_one_text() {
        for error in StateError::ALL {
            assert_eq!(error.to_string(), "Invalid or expired requestState");
        }
        let reasons: Vec<_> = StateError::ALL.iter().map(|error| error.reason()).collect();
        let expected = [
            "malformed",
            "seal",
            "unknown key",
            "expired",
            "request binding",
            "principal",
            "audience",
            "future",
        ];
        assert_eq!(reasons, expected);
    }

    #[test]
    fn counters_are_by_reason() {
        let failures = StateFailures::default();
        for (times, error) in StateError::ALL.into_iter().enumerate() {
            for _ in 0..times {
                failures.record(error, "tools/call", 1);
            }
        }
        for (times, error) in StateError::ALL.into_iter().enumerate() {
            assert_eq!(failures.count(error), times as u64);
        }
        assert_eq!(failures.total(), 28);
    }

    #[test]
    fn events_are_bounded() {
        let failures = StateFailures::default();
        let events = logged(|| {
            for _ in 0..100 {
                failures.record(StateError::Seal, "tools/call", 10);
            }
            failures.record(StateError::Expired, "tools/call", 10);
            failures.record(StateError::Seal, "tools/call", 11);
        });
        assert_eq!(events.len(), 3, "{events:?}");
        assert!(
            events
                .iter()
                .all(|event| event.starts_with("mcp_server::request_state WARN")),
            "{events:?}"
        );
        assert!(
            events[0].contains("reason=\"seal\"") && events[0].contains("left_out=0"),
            "{events:?}"
        );
        assert!(events[1].contains("reason=\"expired\""), "{events:?}");
        assert!(events[2].contains("left_out=99"), "{events:?}");
        assert_eq!(failures.count(StateError::Seal), 101);
    }
}
