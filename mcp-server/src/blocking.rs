//! Runs synchronous tools off the async threads.
//!
//! Motivation: the run time's own blocking pool is waited for when the run time ends, so one tool
//! that hangs would keep the process alive after its client has gone. These threads are not waited
//! for; how long work may go on after the end of a connection is the transport's to say.

use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use tokio::sync::oneshot;

use crate::background;

/// The most threads. Work beyond that waits its turn.
const THREADS: usize = 128;

/// How long a thread without work stays.
const IDLE: Duration = Duration::from_secs(10);

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Pool {
    queue: Mutex<Queue>,
    work: Condvar,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
}

/// Runs `work` on a thread of its own and waits for it; a panic goes on in the caller.
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    static POOL: OnceLock<Arc<Pool>> = OnceLock::new();
    let (done, result) = oneshot::channel();
    POOL.get_or_init(Arc::default).spawn(Box::new(move || {
        // Work that nobody waits for any more, before it has begun, was given up.
        if !done.is_closed() {
            let _ = done.send(catch_unwind(AssertUnwindSafe(work)));
        }
    }));
    match result.await {
        Ok(Ok(value)) => value,
        Ok(Err(panic)) => resume_unwind(panic),
        Err(_) => unreachable!("a job sends its result or its panic"),
    }
}

impl Pool {
    fn spawn(self: &Arc<Self>, job: Job) {
        let mut queue = self.lock();
        queue.jobs.push_back(job);
        if queue.idle >= queue.jobs.len() || queue.threads >= THREADS {
            self.work.notify_one();
            return;
        }
        queue.threads += 1;
        drop(queue);
        let pool = Arc::clone(self);
        if let Err(error) = background::thread("mcp-sync-tool", Box::new(move || pool.run())) {
            // The job waits for a thread that is there already; without any, it runs here.
            let mut queue = self.lock();
            queue.threads -= 1;
            if queue.threads == 0
                && let Some(job) = queue.jobs.pop_back()
            {
                tracing::error!(%error, "no thread for a synchronous tool; it blocks its caller");
                drop(queue);
                job();
            }
        }
    }

    /// Works until there was nothing to do for a while.
    fn run(&self) {
        let mut queue = self.lock();
        loop {
            if let Some(job) = queue.jobs.pop_front() {
                drop(queue);
                job();
                queue = self.lock();
                continue;
            }
            queue.idle += 1;
            let (woken, timeout) = self
                .work
                .wait_timeout(queue, IDLE)
                .unwrap_or_else(PoisonError::into_inner);
            queue = woken;
            queue.idle -= 1;
            if timeout.timed_out() && queue.jobs.is_empty() {
                queue.threads -= 1;
                return;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[tokio::test]
    async fn calls_overlap() {
        // Each waits for the others: one after the other they would wait for ever.
        let meet = Arc::new(std::sync::Barrier::new(3));
        let wait = || {
            let meet = Arc::clone(&meet);
            blocking(move || {
                meet.wait();
            })
        };
        tokio::join!(wait(), wait(), wait());
        let names = blocking(|| thread::current().name().map(str::to_owned)).await;
        assert_eq!(names.as_deref(), Some("mcp-sync-tool"));
    }

    #[tokio::test]
    async fn a_panic_reaches_the_caller_and_the_pool_goes_on() {
        let panicked = tokio::spawn(blocking(|| panic!("on purpose"))).await;
        assert!(panicked.is_err_and(|e| e.is_panic()));
        assert_eq!(blocking(|| 7).await, 7);
    }
}
