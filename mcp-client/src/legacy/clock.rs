//! The time that people take: no request times out while one is asked.
//!
//! Motivation: a server of these revisions asks while the call is open, so the call's timeout would run while a
//! person reads. Which call it asks for it does not say, so all that are open stand still.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

/// How long questions were open on one connection.
#[derive(Debug)]
pub(crate) struct Clock {
    state: watch::Sender<State>,
}

#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// The questions that are open.
    open: usize,
    /// Since when at least one of them is.
    since: Option<Instant>,
    /// How long that was before, in all.
    before: Duration,
}

impl State {
    fn stood(&self) -> Duration {
        let now = self.since.map(|since| since.elapsed());
        self.before.saturating_add(now.unwrap_or_default())
    }
}

impl Clock {
    pub(crate) fn new() -> Self {
        Self {
            state: watch::Sender::new(State::default()),
        }
    }

    /// Stops the clock until what this returns is dropped.
    pub(crate) fn stop(&self) -> Stopped {
        self.state.send_modify(|state| {
            state.open += 1;
            state.since.get_or_insert_with(Instant::now);
        });
        Stopped {
            state: self.state.clone(),
        }
    }

    /// For a request that begins now.
    pub(crate) fn stopwatch(&self) -> Stopwatch {
        let state = self.state.subscribe();
        let at_first = state.borrow().stood();
        Stopwatch { state, at_first }
    }
}

/// The clock stands.
#[derive(Debug)]
pub(crate) struct Stopped {
    state: watch::Sender<State>,
}

impl Drop for Stopped {
    fn drop(&mut self) {
        self.state.send_modify(|state| {
            state.open -= 1;
            if state.open == 0 {
                state.before = state.stood();
                state.since = None;
            }
        });
    }
}

/// The clock as one request sees it.
#[derive(Debug)]
pub(crate) struct Stopwatch {
    state: watch::Receiver<State>,
    at_first: Duration,
}

impl Stopwatch {
    /// How long the clock has stood since the request began; `None` while it stands.
    pub(crate) fn stood(&self) -> Option<Duration> {
        let stands = self.state.borrow().open > 0;
        (!stands).then(|| self.stood_in_all())
    }

    /// The same, with the time that it stands now.
    pub(crate) fn stood_in_all(&self) -> Duration {
        self.state.borrow().stood().saturating_sub(self.at_first)
    }

    /// Waits until it stops or goes on.
    pub(crate) async fn turned(&mut self) {
        if self.state.changed().await.is_err() {
            // The connection is gone, and its requests end for that reason.
            std::future::pending().await
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn only_the_time_within_the_request_counts_and_overlaps_count_once() {
        let clock = Clock::new();
        let early = clock.stop();
        tokio::time::sleep(Duration::from_secs(5)).await;
        let watch = clock.stopwatch();
        assert_eq!(watch.stood(), None);
        tokio::time::sleep(Duration::from_secs(2)).await;
        let late = clock.stop();
        tokio::time::sleep(Duration::from_secs(1)).await;
        drop(early);
        assert_eq!(watch.stood(), None);
        tokio::time::sleep(Duration::from_secs(1)).await;
        drop(late);
        assert_eq!(watch.stood(), Some(Duration::from_secs(4)));
        tokio::time::sleep(Duration::from_secs(9)).await;
        assert_eq!(watch.stood(), Some(Duration::from_secs(4)));
    }
}
