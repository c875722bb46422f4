//! The hub: who listens to a server, and what has changed since they were told.
//!
//! Motivation: fifty tools that are switched in a loop are one change to whoever lists them. So the first change opens a short
//! time in which others join it, and then all subscriptions are told at once. What comes later opens the next: the last change is
//! always told.

use std::{
    collections::HashSet,
    fmt, mem,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use super::{
    filter::{Filter, Lists},
    subscriber::Subscriber,
};
use crate::background;

/// How long a change waits for others to join it.
const PAUSE: Duration = Duration::from_millis(10);

/// Everyone who listens to a server.
pub(crate) struct Hub {
    /// How many listen: looked at without a lock, because most of the time nobody does.
    listening: AtomicUsize,
    places: Mutex<Places>,
    changes: Mutex<Changes>,
    limit: usize,
    /// Calls of earlier clients that wait for what users do on pages.
    pub(crate) pages: crate::legacy::Pages,
}

/// A slab: a subscription keeps its place, and a place that is free is taken again.
#[derive(Default)]
struct Places {
    taken: Vec<Option<Arc<Subscriber>>>,
    free: Vec<usize>,
    /// How many of those taken count against the limit.
    limited: usize,
    closed: bool,
}

/// What has changed and was not told yet.
#[derive(Debug, Default)]
pub(super) struct Changes {
    pub(super) lists: Lists,
    /// As they are spelled without percent-encoding.
    pub(super) uris: HashSet<Box<str>>,
    /// Whether somebody will tell.
    scheduled: bool,
}

/// Why nobody more can listen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refused {
    /// So many do already.
    Full(usize),
    /// The server is shutting down.
    Closed,
}

impl Hub {
    /// A hub for so many subscriptions at once.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            listening: AtomicUsize::new(0),
            places: Mutex::default(),
            changes: Mutex::default(),
            limit,
            pages: Default::default(),
        }
    }

    /// How many listen.
    pub(crate) fn listening(&self) -> usize {
        self.listening.load(Ordering::Acquire)
    }

    /// Takes a place, of which there are so many.
    pub(super) fn join(
        self: &Arc<Self>,
        number: u64,
        filter: Filter,
    ) -> Result<Arc<Subscriber>, Refused> {
        self.enter(number, filter, true)
    }

    /// Takes a place for whom something else limits.
    ///
    /// # Errors
    ///
    /// The server is shutting down.
    pub(crate) fn join_apart(
        self: &Arc<Self>,
        number: u64,
        filter: Filter,
    ) -> Result<Arc<Subscriber>, Refused> {
        self.enter(number, filter, false)
    }

    fn enter(
        self: &Arc<Self>,
        number: u64,
        filter: Filter,
        is_limited: bool,
    ) -> Result<Arc<Subscriber>, Refused> {
        let mut places = self.places();
        if places.closed {
            return Err(Refused::Closed);
        }
        if is_limited && places.limited >= self.limit {
            return Err(Refused::Full(self.limit));
        }
        places.limited += usize::from(is_limited);
        let place = places.free.pop().unwrap_or(places.taken.len());
        let hub = Arc::clone(self);
        let subscriber = Arc::new(Subscriber::new(hub, (place, is_limited), number, filter));
        if place == places.taken.len() {
            places.taken.push(None);
        }
        places.taken[place] = Some(Arc::clone(&subscriber));
        self.listening.fetch_add(1, Ordering::Release);
        Ok(subscriber)
    }

    /// Frees a place, which was taken.
    pub(super) fn leave(&self, (place, is_limited): (usize, bool)) {
        let mut places = self.places();
        let left = places.taken[place].take();
        places.limited -= usize::from(is_limited);
        places.free.push(place);
        if self.listening.fetch_sub(1, Ordering::Release) == 1 {
            // The memory of a rush is given back.
            places.taken = Vec::new();
            places.free = Vec::new();
        }
        drop(places);
        drop(left);
    }

    /// Ends all subscriptions in good order, and lets nobody listen any more.
    pub(crate) fn close(&self) {
        let mut places = self.places();
        places.closed = true;
        let everyone: Vec<_> = places.taken.iter().flatten().cloned().collect();
        drop(places);
        // Whoever is told of the end hears of everything that came before it.
        self.tell();
        for subscriber in everyone {
            subscriber.close();
        }
    }

    /// Takes note of changes, and tells of them a moment later.
    pub(super) fn change(self: &Arc<Self>, note: impl FnOnce(&mut Changes)) {
        if self.listening() == 0 {
            return;
        }
        let mut changes = self.changes();
        note(&mut changes);
        let first = !mem::replace(&mut changes.scheduled, true);
        drop(changes);
        if first {
            self.schedule();
        }
    }

    /// A thread for a moment: whoever notifies may have no run time, one without timers, or one that ends before the moment does.
    fn schedule(self: &Arc<Self>) {
        let hub = Arc::clone(self);
        let later = move || {
            thread::sleep(PAUSE);
            hub.tell();
        };
        if background::thread("mcp-notify", Box::new(later)).is_err() {
            self.tell();
        }
    }

    /// Tells everyone what has changed.
    fn tell(&self) {
        let changes = mem::take(&mut *self.changes());
        let mut wakers = Vec::new();
        for subscriber in self.places().taken.iter().flatten() {
            if let Some(waker) = subscriber.changed(&changes) {
                wakers.push(waker);
            }
        }
        // Not under the lock: whoever is woken may want it.
        for waker in wakers {
            waker.wake();
        }
    }

    fn places(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn changes(&self) -> MutexGuard<'_, Changes> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Hub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hub")
            .field("listening", &self.listening())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
