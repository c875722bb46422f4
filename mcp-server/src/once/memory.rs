//! The guard in this process's memory.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::{ClaimKey, ClaimRefused, Claimed, Finished, GuardError, OnceGuard};
use crate::state::{BoxFuture, Clock};

/// Keeps claims in memory: for a server that is one process. They are lost on restart.
///
/// The number of claims of each tool is bounded, so that no tool can take the room of another. When it is reached new
/// claims of that tool are refused, since dropping a live one would let its body run twice; expired ones are dropped as
/// new ones come in.
pub struct MemoryGuard {
    /// Of each tool.
    capacity: usize,
    clock: Clock,
    claims: Mutex<Claims>,
}

impl MemoryGuard {
    /// How many claims of each tool [`MemoryGuard::new`] keeps.
    pub const DEFAULT_CAPACITY: usize = 100_000;

    /// A guard for [`MemoryGuard::DEFAULT_CAPACITY`] claims of each tool.
    #[must_use]
    pub fn new() -> Self {
        Self::with_capacity(Self::DEFAULT_CAPACITY)
    }

    /// A guard for this many claims of each tool at a time. Memory is taken as they come.
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        Self::with_clock(capacity, Arc::new(SystemTime::now))
    }

    pub(crate) fn with_clock(capacity: usize, clock: Clock) -> Self {
        Self {
            capacity,
            clock,
            claims: Mutex::default(),
        }
    }

    fn try_claim(&self, key: &ClaimKey, keep_until: SystemTime) -> Result<Claimed, ClaimRefused> {
        let now = (self.clock)();
        let mut claims = self.lock();
        claims.drop_expired(now);
        match claims.by_key.get(key).map(|claim| claim.state) {
            None => {}
            Some(State::InFlight) => return Err(ClaimRefused::StillRunning),
            Some(State::Ended(Finished::Done)) => return Err(ClaimRefused::AlreadyDone),
            Some(State::Ended(Finished::Failed)) => return Err(ClaimRefused::Failed),
        }
        if claims.of_tool(key.tool()) >= self.capacity {
            return Err(ClaimRefused::Full);
        }
        Ok(claims.add(key, keep_until))
    }

    fn end(&self, key: &ClaimKey, claimed: Claimed, how: Finished) {
        if let Some(claim) = self.lock().by_key.get_mut(key)
            && claim.claimed == claimed
        {
            claim.state = State::Ended(how);
        }
    }

    /// Held for a few map operations, never across an await.
    fn lock(&self) -> MutexGuard<'_, Claims> {
        self.claims.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for MemoryGuard {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for MemoryGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryGuard")
            .field("capacity", &self.capacity)
            .finish_non_exhaustive()
    }
}

impl OnceGuard for MemoryGuard {
    fn claim<'a>(
        &'a self,
        key: &'a ClaimKey,
        keep_until: SystemTime,
    ) -> BoxFuture<'a, Result<Claimed, ClaimRefused>> {
        Box::pin(async move { self.try_claim(key, keep_until) })
    }

    fn finish<'a>(
        &'a self,
        key: &'a ClaimKey,
        claimed: Claimed,
        how: Finished,
    ) -> BoxFuture<'a, Result<(), GuardError>> {
        Box::pin(async move {
            self.end(key, claimed, how);
            Ok(())
        })
    }

    fn is_shared(&self) -> bool {
        false
    }
}

#[derive(Default)]
struct Claims {
    by_key: HashMap<ClaimKey, Claim>,
    /// The first to expire first, so that dropping what has expired looks at nothing else.
    by_expiry: BinaryHeap<Reverse<(SystemTime, ClaimKey)>>,
    /// How many claims each tool has: they are few, and a tool without claims is left out.
    by_tool: Vec<(Box<str>, usize)>,
    last: u64,
}

struct Claim {
    claimed: Claimed,
    state: State,
}

#[derive(Clone, Copy)]
enum State {
    InFlight,
    Ended(Finished),
}

impl Claims {
    fn add(&mut self, key: &ClaimKey, keep_until: SystemTime) -> Claimed {
        match self.place(key.tool()) {
            Some(at) => self.by_tool[at].1 += 1,
            None => self.by_tool.push((key.tool().into(), 1)),
        }
        self.last += 1;
        let claim = Claim {
            claimed: Claimed::new(self.last),
            state: State::InFlight,
        };
        let claimed = claim.claimed;
        self.by_key.insert(key.clone(), claim);
        self.by_expiry.push(Reverse((keep_until, key.clone())));
        claimed
    }

    fn drop_expired(&mut self, now: SystemTime) {
        while let Some(Reverse((until, _))) = self.by_expiry.peek()
            && *until <= now
            && let Some(Reverse((_, key))) = self.by_expiry.pop()
        {
            self.by_key.remove(&key);
            let Some(at) = self.place(key.tool()) else {
                continue;
            };
            self.by_tool[at].1 -= 1;
            if self.by_tool[at].1 == 0 {
                self.by_tool.swap_remove(at);
            }
        }
    }

    fn of_tool(&self, tool: &str) -> usize {
        self.place(tool).map_or(0, |at| self.by_tool[at].1)
    }

    fn place(&self, tool: &str) -> Option<usize> {
        self.by_tool.iter().position(|(known, _)| **known == *tool)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    /// A guard whose clock is set by hand, in seconds.
    fn guard(capacity: usize) -> (MemoryGuard, Arc<AtomicU64>) {
        let now = Arc::new(AtomicU64::new(0));
        let seconds = now.clone();
        let clock = Arc::new(move || at(seconds.load(Ordering::Relaxed)));
        (MemoryGuard::with_clock(capacity, clock), now)
    }

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(seconds)
    }

    fn key(value: usize) -> ClaimKey {
        ClaimKey::new("tool", value)
    }

    #[test]
    fn full_refuses_and_keeps_what_is_live() {
        let (guard, now) = guard(2);
        let first = guard.try_claim(&key(1), at(10)).unwrap();
        guard.end(&key(1), first, Finished::Done);
        let _second = guard.try_claim(&key(2), at(20)).unwrap();
        assert_eq!(guard.try_claim(&key(3), at(30)), Err(ClaimRefused::Full));
        // Full or not, what is known is told.
        assert_eq!(
            guard.try_claim(&key(1), at(30)),
            Err(ClaimRefused::AlreadyDone)
        );
        assert_eq!(
            guard.try_claim(&key(2), at(30)),
            Err(ClaimRefused::StillRunning)
        );
        now.store(10, Ordering::Relaxed);
        assert!(guard.try_claim(&key(3), at(30)).is_ok());
        assert_eq!(guard.try_claim(&key(1), at(30)), Err(ClaimRefused::Full));
    }

    #[test]
    fn expired_claims_leave_nothing_behind() {
        let (guard, now) = guard(1_000);
        for round in 0..10 {
            for value in 0..1_000 {
                let _claimed = guard.try_claim(&key(value), at(round * 10 + 10)).unwrap();
            }
            now.store(round * 10 + 10, Ordering::Relaxed);
        }
        let _last = guard.try_claim(&key(0), at(1_000)).unwrap();
        let claims = guard.lock();
        assert_eq!((claims.by_key.len(), claims.by_expiry.len()), (1, 1));
        assert_eq!(claims.by_tool, [("tool".into(), 1)]);
    }

    #[test]
    fn a_tool_that_is_full_takes_no_room_of_others() {
        let (guard, now) = guard(2);
        for value in 0..2 {
            let _claimed = guard.try_claim(&key(value), at(10)).unwrap();
        }
        assert_eq!(guard.try_claim(&key(2), at(10)), Err(ClaimRefused::Full));
        let long = "x".repeat(500);
        let others = [
            ClaimKey::new("other", 1),
            ClaimKey::new("other", &long),
            ClaimKey::exchange("third", crate::state::ExchangeId::random().unwrap()),
        ];
        for other in &others {
            assert!(guard.try_claim(other, at(20)).is_ok(), "{other}");
        }
        let full = guard.try_claim(&ClaimKey::new("other", 2), at(20));
        assert_eq!(full, Err(ClaimRefused::Full));
        now.store(10, Ordering::Relaxed);
        assert!(guard.try_claim(&key(2), at(20)).is_ok());
    }

    #[test]
    fn a_late_finish_does_not_end_the_next_claim() {
        let (guard, now) = guard(10);
        let late = guard.try_claim(&key(1), at(10)).unwrap();
        now.store(10, Ordering::Relaxed);
        let _next = guard.try_claim(&key(1), at(20)).unwrap();
        guard.end(&key(1), late, Finished::Done);
        assert_eq!(
            guard.try_claim(&key(1), at(20)),
            Err(ClaimRefused::StillRunning)
        );
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn passes_the_contract() {
        super::super::contract::verify_guard(MemoryGuard::new).await;
    }

    #[test]
    fn is_not_shared() {
        assert!(!MemoryGuard::default().is_shared());
    }
}
