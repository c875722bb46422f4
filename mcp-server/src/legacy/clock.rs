//! Waiting for a moment, in whatever run time: one without timers has no other way.
//!
//! Motivation: a person may take ten minutes to answer, so a thread for each question would be too many. One thread wakes
//! everybody, and lives only while somebody waits.

use std::{
    future::Future,
    pin::Pin,
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll, Waker},
    thread,
    time::Instant,
};

/// Returns at this moment.
pub(super) fn until(moment: Instant) -> Until {
    static NUMBERS: AtomicU64 = AtomicU64::new(0);
    Until((moment, NUMBERS.fetch_add(1, Ordering::Relaxed)))
}

/// See [`until`].
pub(super) struct Until(Key);

/// A moment, and a number that tells it from others of the same.
type Key = (Instant, u64);

static CLOCK: Clock = Clock {
    waiting: Mutex::new(Waiting {
        by_moment: Vec::new(),
        is_watched: false,
    }),
    changed: Condvar::new(),
};

struct Clock {
    waiting: Mutex<Waiting>,
    /// The first moment is another one.
    changed: Condvar,
}

struct Waiting {
    /// The last moment first, so that the next one is at the end.
    by_moment: Vec<(Key, Waker)>,
    /// Whether there is a thread that looks at the clock.
    is_watched: bool,
}

impl Future for Until {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if Instant::now() >= self.0.0 {
            return Poll::Ready(());
        }
        let mut waiting = CLOCK.lock();
        let waker = cx.waker().clone();
        match waiting.place(self.0) {
            Ok(at) => waiting.by_moment[at].1 = waker,
            Err(at) => waiting.by_moment.insert(at, (self.0, waker)),
        }
        let is_first = waiting.by_moment.last().map(|(key, _)| *key) == Some(self.0);
        if !waiting.is_watched {
            let watching = thread::Builder::new().name("mcp-clock".to_owned());
            // Without a thread nothing can be waited for.
            if watching.spawn(watch).is_err() {
                return Poll::Ready(());
            }
            waiting.is_watched = true;
        } else if is_first {
            CLOCK.changed.notify_one();
        }
        Poll::Pending
    }
}

impl Drop for Until {
    fn drop(&mut self) {
        let mut waiting = CLOCK.lock();
        let left = waiting.place(self.0).ok();
        let left = left.map(|at| waiting.by_moment.remove(at));
        // Not under the lock.
        drop(waiting);
        drop(left);
    }
}

impl Waiting {
    fn place(&self, key: Key) -> Result<usize, usize> {
        self.by_moment.binary_search_by(|(known, _)| key.cmp(known))
    }
}

impl Clock {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Wakes everybody in time, and ends when nobody waits any more.
fn watch() {
    let mut waiting = CLOCK.lock();
    loop {
        let Some(((moment, _), _)) = waiting.by_moment.last() else {
            waiting.is_watched = false;
            return;
        };
        let left = moment.saturating_duration_since(Instant::now());
        if left.is_zero() {
            let due = waiting.by_moment.pop();
            // Not under the lock: whoever is woken may want it.
            drop(waiting);
            if let Some((_, waker)) = due {
                waker.wake();
            }
            waiting = CLOCK.lock();
        } else {
            let waited = CLOCK.changed.wait_timeout(waiting, left);
            waiting = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// A run time without timers.
    fn block_on<T>(future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.expect("a run time").block_on(future)
    }

    #[test]
    fn moments_come_in_their_order() {
        let begin = Instant::now();
        let after = |millis| until(begin + Duration::from_millis(millis));
        let mut pauses = [after(60), after(20), after(40)];
        let mut order = Vec::new();
        block_on(std::future::poll_fn(|cx| {
            for (index, pause) in pauses.iter_mut().enumerate() {
                if !order.contains(&index) && Pin::new(pause).poll(cx).is_ready() {
                    order.push(index);
                }
            }
            if order.len() == 3 {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        }));
        assert_eq!(order, [1, 2, 0]);
        assert!(begin.elapsed() >= Duration::from_millis(60));
        // Another one, later: there may be no thread any more.
        block_on(until(Instant::now() + Duration::from_millis(5)));
    }
}
