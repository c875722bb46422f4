//! Running a body once only: claims on a key, and the guards that keep them.
//!
//! A sealed state proves that an answer was given to this server's question; it does not prove that it is used for the
//! first time. So a tool whose effect must happen once claims a key just before it: the exchange's own id, or a key of
//! the tool's. A [`OnceGuard`] keeps the claims: [`MemoryGuard`] for a server that is one process, a shared one for replicas.
//!
//! Specification: basic/patterns/mrtr, Server Requirements (the warning on single use).

use std::time::SystemTime;

use crate::state::BoxFuture;

mod key;
mod memory;
mod refused;

#[cfg(any(test, feature = "testing"))]
pub mod contract;

pub use key::ClaimKey;
pub use memory::MemoryGuard;
pub use refused::{ClaimRefused, GuardError};

/// Keeps claims, so that of all calls with one key a single one runs.
///
/// A claim is in flight from [`claim`](OnceGuard::claim) to [`finish`](OnceGuard::finish), and done or failed from then
/// until it expires. A claim in flight is not taken away from a body that runs long: it, too, ends only by finishing or
/// expiring. A guard that cannot tell refuses. Any implementation must pass the `once::contract` suite of the `testing` feature.
///
/// ```
/// use std::time::{Duration, SystemTime};
/// use mcp_server::once::{ClaimKey, ClaimRefused, Finished, MemoryGuard, OnceGuard};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let guard = MemoryGuard::new();
/// let key = ClaimKey::new("issue_refund", "R-0111");
/// let until = SystemTime::now() + Duration::from_secs(660);
///
/// let claimed = guard.claim(&key, until).await?;
/// assert_eq!(guard.claim(&key, until).await, Err(ClaimRefused::StillRunning));
/// guard.finish(&key, claimed, Finished::Done).await?;
/// assert_eq!(guard.claim(&key, until).await, Err(ClaimRefused::AlreadyDone));
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
pub trait OnceGuard: Send + Sync {
    /// Claims the key until `keep_until`, unless a claim on it is in flight, done or failed and has not expired. Of any
    /// number of concurrent claims on one key, in any process that shares the guard, one wins.
    ///
    /// # Errors
    /// Why the call must not run. A guard that is full or cannot be reached refuses; it never drops a live claim.
    fn claim<'a>(
        &'a self,
        key: &'a ClaimKey,
        keep_until: SystemTime,
    ) -> BoxFuture<'a, Result<Claimed, ClaimRefused>>;

    /// Ends a claim that was won. The entry stays until it expires. For a key that is not known, or that was claimed anew
    /// since, nothing happens.
    ///
    /// # Errors
    /// When the guard cannot be reached: the claim then stays in flight until it expires.
    fn finish<'a>(
        &'a self,
        key: &'a ClaimKey,
        claimed: Claimed,
        how: Finished,
    ) -> BoxFuture<'a, Result<(), GuardError>>;

    /// Whether other processes see the claims too. A server whose state keys are shared wants a guard that is.
    fn is_shared(&self) -> bool;
}

impl<G: OnceGuard + ?Sized> OnceGuard for std::sync::Arc<G> {
    fn claim<'a>(
        &'a self,
        key: &'a ClaimKey,
        keep_until: SystemTime,
    ) -> BoxFuture<'a, Result<Claimed, ClaimRefused>> {
        (**self).claim(key, keep_until)
    }

    fn finish<'a>(
        &'a self,
        key: &'a ClaimKey,
        claimed: Claimed,
        how: Finished,
    ) -> BoxFuture<'a, Result<(), GuardError>> {
        (**self).finish(key, claimed, how)
    }

    fn is_shared(&self) -> bool {
        (**self).is_shared()
    }
}

/// A claim that was won. Its number tells it from later claims on the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use = "a claim stays in flight until it is finished"]
pub struct Claimed(u64);

impl Claimed {
    /// Made by guards: `number` must differ between claims on one key.
    pub fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number that the guard gave.
    #[must_use]
    pub fn number(self) -> u64 {
        self.0
    }
}

/// How a claimed body ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Finished {
    /// It returned a result.
    Done,
    /// It returned an error or panicked: what it did before may or may not have happened.
    Failed,
}
