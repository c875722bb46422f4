//! That the suite tells a broken guard: each breaks one promise of an honest guard around which it is built.

use std::panic::AssertUnwindSafe;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::super::{GuardError, MemoryGuard};
use super::*;
use crate::state::BoxFuture;

/// How a guard is broken.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    LooksBeforeItLeaps,
    ForgetsClaimsInFlight,
    ForgetsFailedClaims,
    CallsFailedDone,
    CallsInFlightDone,
    HasOneKey,
    NeverExpires,
    FailsOnUnknownKeys,
    EndsLaterClaims,
    RepeatsNumbers,
    RefusesAll,
}

struct Broken {
    fault: Fault,
    inner: MemoryGuard,
    /// Keys seen by a guard that looks before it leaps.
    seen: Mutex<Vec<ClaimKey>>,
    last: Mutex<Vec<(ClaimKey, Claimed)>>,
    number: AtomicU64,
}

impl Broken {
    fn new(fault: Fault) -> Self {
        let (seen, last) = (Mutex::default(), Mutex::default());
        Self {
            fault,
            inner: MemoryGuard::new(),
            seen,
            last,
            number: AtomicU64::new(1),
        }
    }

    /// The number of the claim in force, for a guard that does not compare it.
    fn current(&self, key: &ClaimKey) -> Option<Claimed> {
        let last = self.last.lock().expect("no test panics under it");
        last.iter()
            .rev()
            .find(|(known, _)| known == key)
            .map(|(_, claimed)| *claimed)
    }
}

impl OnceGuard for Broken {
    fn claim<'a>(
        &'a self,
        key: &'a ClaimKey,
        until: SystemTime,
    ) -> BoxFuture<'a, Result<Claimed, ClaimRefused>> {
        Box::pin(async move {
            let until = if self.fault == Fault::NeverExpires {
                until + Duration::from_secs(60)
            } else {
                until
            };
            match self.fault {
                Fault::LooksBeforeItLeaps if key.as_str().contains("race") => {
                    let seen = self
                        .seen
                        .lock()
                        .expect("no test panics under it")
                        .contains(key);
                    tokio::task::yield_now().await;
                    if seen {
                        return Err(ClaimRefused::StillRunning);
                    }
                    self.seen
                        .lock()
                        .expect("no test panics under it")
                        .push(key.clone());
                    return Ok(Claimed::new(self.number.fetch_add(1, Ordering::Relaxed)));
                }
                Fault::RefusesAll => return Err(ClaimRefused::Full),
                _ => {}
            }
            let one = ClaimKey::new("broken", "one");
            let key = if self.fault == Fault::HasOneKey && !key.as_str().contains("race") {
                &one
            } else {
                key
            };
            let claimed = match (self.inner.claim(key, until).await, self.fault) {
                (Err(ClaimRefused::StillRunning), Fault::ForgetsClaimsInFlight)
                    if !key.as_str().contains("race") =>
                {
                    return Ok(Claimed::new(u64::MAX));
                }
                (Err(ClaimRefused::Failed), Fault::ForgetsFailedClaims) => {
                    return Ok(Claimed::new(u64::MAX));
                }
                (Err(ClaimRefused::Failed), Fault::CallsFailedDone) => {
                    Err(ClaimRefused::AlreadyDone)
                }
                (Err(ClaimRefused::StillRunning), Fault::CallsInFlightDone) => {
                    Err(ClaimRefused::AlreadyDone)
                }
                (result, _) => result,
            }?;
            self.last
                .lock()
                .expect("no test panics under it")
                .push((key.clone(), claimed));
            Ok(if self.fault == Fault::RepeatsNumbers {
                Claimed::new(0)
            } else {
                claimed
            })
        })
    }

    fn finish<'a>(
        &'a self,
        key: &'a ClaimKey,
        claimed: Claimed,
        how: Finished,
    ) -> BoxFuture<'a, Result<(), GuardError>> {
        Box::pin(async move {
            let current = self.current(key);
            if self.fault == Fault::FailsOnUnknownKeys && current.is_none() {
                return Err(GuardError::new("no such key"));
            }
            let claimed = match self.fault {
                Fault::EndsLaterClaims | Fault::RepeatsNumbers => current.unwrap_or(claimed),
                _ => claimed,
            };
            let one = ClaimKey::new("broken", "one");
            self.inner
                .finish(
                    if self.fault == Fault::HasOneKey {
                        &one
                    } else {
                        key
                    },
                    claimed,
                    how,
                )
                .await
        })
    }

    fn is_shared(&self) -> bool {
        self.inner.is_shared()
    }
}

/// The message with which the suite stops at a guard, if it does.
fn breach(fault: Fault) -> Option<String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime");
    let suite = verify_guard(|| Broken::new(fault));
    let stopped = std::panic::catch_unwind(AssertUnwindSafe(|| runtime.block_on(suite))).err()?;
    stopped.downcast::<String>().map(|message| *message).ok()
}

#[test]
fn the_unbroken_guard_passes() {
    assert_eq!(breach(Fault::None), None);
}

#[test]
fn broken_guards_fail_with_what_they_broke() {
    let faults = [
        (
            Fault::LooksBeforeItLeaps,
            "exactly one must win, but 64 did",
        ),
        (
            Fault::ForgetsClaimsInFlight,
            "a key that is in flight must be refused",
        ),
        (
            Fault::ForgetsFailedClaims,
            "a key that is failed must be refused",
        ),
        (
            Fault::CallsFailedDone,
            "must be refused as `failed before: it may have had its effect",
        ),
        (Fault::CallsInFlightDone, "must be refused as still running"),
        (Fault::HasOneKey, "a free key must be claimed"),
        (Fault::NeverExpires, "an expired key must be free"),
        (
            Fault::FailsOnUnknownKeys,
            "must be harmless, but gave: the once-only guard failed: no such key",
        ),
        (
            Fault::EndsLaterClaims,
            "claimed anew after an earlier claim on it expired must be refused",
        ),
        (
            Fault::RepeatsNumbers,
            "two claims on one key must have different numbers",
        ),
        (Fault::RefusesAll, "exactly one must win, but 0 did"),
    ];
    for (fault, expected) in faults {
        let message = breach(fault).unwrap_or_else(|| panic!("{fault:?} was not found"));
        assert!(message.contains(expected), "{fault:?}: {message}");
    }
}
