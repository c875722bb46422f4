//! Who is to be woken, kept under a lock.
//!
//! Motivation: a waker may be the last to hold its task, and what the task holds may want the very lock once it is dropped. So no
//! waker is dropped under the lock that it is kept under.

use std::task::Waker;

/// Keeps this one in the place of the one before, which is given back: to be dropped once the lock is free.
#[must_use = "it must not be dropped under the lock"]
pub(crate) fn replace(place: &mut Option<Waker>, waker: &Waker) -> Option<Waker> {
    if place.as_ref().is_some_and(|known| known.will_wake(waker)) {
        return None;
    }
    place.replace(waker.clone())
}

/// For tests of what keeps wakers.
#[cfg(test)]
pub(crate) mod testing {
    use std::{
        sync::{Arc, mpsc},
        task::{Wake, Waker},
        thread,
        time::Duration,
    };

    struct Task<T>(T);

    impl<T: Send + Sync> Wake for Task<T> {
        fn wake(self: Arc<Self>) {}
    }

    /// Does something when it is dropped.
    pub(crate) struct AtEnd<F: Fn()>(pub(crate) F);

    impl<F: Fn()> Drop for AtEnd<F> {
        fn drop(&mut self) {
            (self.0)();
        }
    }

    /// A waker that is all that holds a task, which holds this.
    pub(crate) fn last_of<T: Send + Sync + 'static>(held: T) -> Waker {
        Waker::from(Arc::new(Task(held)))
    }

    /// Fails where this waits for itself.
    pub(crate) fn ends(work: impl FnOnce() + Send + 'static) {
        let (done, is_done) = mpsc::channel();
        let working = thread::spawn(move || {
            work();
            let _ = done.send(());
        });
        if is_done.recv_timeout(Duration::from_secs(10)) == Err(mpsc::RecvTimeoutError::Timeout) {
            panic!("it waits for a lock that it holds itself");
        }
        assert!(working.join().is_ok(), "it has panicked");
    }
}
