//! A server's states with a clock that is set by hand, and a request to bind them to.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use super::super::digest::{Digest, digest_arguments};
use super::super::envelope::{ExchangeId, Payload, Stamp};
use super::super::error::StateError;
use super::super::principal::Principal;
use super::super::ring::KeyRing;
use super::super::sealing::{DEFAULT_LIFETIME, RequestStates, Sealing};
use super::super::verify::Binding;
use super::key;

pub(crate) const START: u64 = 1_000_000;

/// States whose clock is set by hand, in seconds.
pub(crate) struct Fixture {
    pub(crate) states: RequestStates,
    now: Arc<AtomicU64>,
}

impl Fixture {
    pub(crate) fn new(sealing: Sealing) -> Self {
        let now = Arc::new(AtomicU64::new(START));
        let seconds = now.clone();
        let clock =
            Arc::new(move || UNIX_EPOCH + Duration::from_secs(seconds.load(Ordering::Relaxed)));
        Self {
            states: RequestStates::with_clock(sealing, DEFAULT_LIFETIME, clock)
                .expect("the fixture is sound"),
            now,
        }
    }

    pub(crate) fn at(&self, seconds: u64) -> &RequestStates {
        self.now.store(seconds, Ordering::Relaxed);
        &self.states
    }

    pub(crate) fn sealed_for(&self, binding: &Binding<'_>) -> String {
        let sealed = self
            .states
            .seal(begun(binding), &Payload::default(), binding);
        sealed.expect("the fixture is sound")
    }

    #[track_caller]
    pub(crate) fn refuses(&self, sealed: &str, binding: &Binding<'_>, expected: StateError) {
        let before = self.states.failures().count(expected);
        assert_eq!(self.states.open(sealed, binding).err(), Some(expected));
        assert_eq!(self.states.failures().count(expected), before + 1);
    }
}

/// A stamp for a call that came without a state.
pub(crate) fn begun(binding: &Binding<'_>) -> Stamp {
    let exchange = ExchangeId::next().expect("the system has random bytes");
    Stamp::new(binding.arguments, exchange)
}

pub(crate) fn ring(keys: &[u64]) -> KeyRing {
    KeyRing::new(keys.iter().map(|&n| key(n))).expect("the fixture is sound")
}

pub(crate) fn arguments(text: &str) -> Digest {
    digest_arguments(Some(text)).expect("the fixture is sound")
}

pub(crate) fn alice() -> Principal {
    Principal::caller("https://login.example", "alice", Some("desk"))
}

pub(crate) fn binding(principal: &Principal) -> Binding<'_> {
    Binding {
        method: "tools/call",
        target: "delete_note",
        arguments: arguments(r#"{"note_id":"7"}"#),
        audience: "notes",
        principal,
    }
}
