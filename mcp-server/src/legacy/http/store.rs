//! Which sessions there are, and which goes when there are too many or nobody has used one for long. No I/O: whoever
//! calls says what time it is.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
    time::Duration,
};

use tokio::time::Instant;

/// How many sessions there may be, and how long they are kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) sessions: usize,
    pub(super) idle: Duration,
}

/// Sessions by their ids.
pub(super) struct Store<T> {
    limits: Limits,
    held: HashMap<Arc<str>, Held<T>>,
    /// Those without a request in flight, who goes first standing first.
    order: BTreeMap<Rank, Arc<str>>,
    ranked: u64,
}

struct Held<T> {
    session: T,
    /// Requests in flight.
    requests: usize,
    /// Connections that only listen.
    listening: usize,
    /// Its place among those that may go.
    rank: Option<Rank>,
}

/// First those that nobody uses, the longest idle first; then those that somebody listens to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    listening: bool,
    since: Instant,
    number: u64,
}

/// What a session is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    Request,
    Listening,
}

/// All sessions have requests in flight, and there may be no more.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Full;

impl<T> Store<T> {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            held: HashMap::new(),
            order: BTreeMap::new(),
            ranked: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.held.len()
    }

    /// Takes a session in; gives the one that had to go for it.
    ///
    /// # Errors
    ///
    /// Where none may go.
    pub(super) fn insert(
        &mut self,
        id: Arc<str>,
        session: T,
        now: Instant,
    ) -> Result<Option<T>, Full> {
        let mut gone = None;
        if self.held.len() >= self.limits.sessions {
            let (_, first) = self.order.pop_first().ok_or(Full)?;
            gone = self.held.remove(&first).map(|held| held.session);
        }
        let held = Held {
            session,
            requests: 0,
            listening: 0,
            rank: None,
        };
        self.held.insert(Arc::clone(&id), held);
        self.rank(&id, now);
        Ok(gone)
    }

    /// The session of this id, which is in use from now on, and the time it was idle is forgotten; none where it has been
    /// idle for too long, or is not `theirs`.
    pub(super) fn begin(
        &mut self,
        id: &str,
        what: Use,
        now: Instant,
        theirs: impl FnOnce(&T) -> bool,
    ) -> Option<&T> {
        let held = self.held.get_mut(id)?;
        if !theirs(&held.session) || held.rank.is_some_and(|rank| self.limits.is_over(rank, now)) {
            return None;
        }
        match what {
            Use::Request => held.requests += 1,
            Use::Listening => held.listening += 1,
        }
        self.rank(id, now);
        self.held.get(id).map(|held| &held.session)
    }

    /// A use that [began](Self::begin) is over. The session may have gone meanwhile.
    pub(super) fn end(&mut self, id: &str, what: Use, now: Instant) {
        if let Some(held) = self.held.get_mut(id) {
            match what {
                Use::Request => held.requests -= 1,
                Use::Listening => held.listening -= 1,
            }
            self.rank(id, now);
        }
    }

    /// Takes a session out, if it is `theirs`.
    pub(super) fn remove(&mut self, id: &str, theirs: impl FnOnce(&T) -> bool) -> Option<T> {
        if !theirs(&self.held.get(id)?.session) {
            return None;
        }
        let held = self.held.remove(id)?;
        if let Some(rank) = held.rank {
            self.order.remove(&rank);
        }
        Some(held.session)
    }

    /// Takes out those that nobody has used for long.
    pub(super) fn expire(&mut self, now: Instant) -> Vec<T> {
        let mut gone = Vec::new();
        while let Some(first) = self.order.first_entry()
            && self.limits.is_over(*first.key(), now)
        {
            let id = first.remove();
            gone.extend(self.held.remove(&id).map(|held| held.session));
        }
        if self.held.is_empty() {
            // The memory of a rush is given back.
            self.held = HashMap::new();
        }
        gone
    }

    /// Takes out all of them.
    pub(super) fn clear(&mut self) -> Vec<T> {
        self.order.clear();
        let held = std::mem::take(&mut self.held);
        held.into_values().map(|held| held.session).collect()
    }

    pub(super) fn sessions(&self) -> impl Iterator<Item = &T> {
        self.held.values().map(|held| &held.session)
    }

    /// Gives a session the place that its use gives it.
    fn rank(&mut self, id: &str, now: Instant) {
        let Some((id, _)) = self.held.get_key_value(id) else {
            return;
        };
        let id = Arc::clone(id);
        let Some(held) = self.held.get_mut(&id) else {
            return;
        };
        if let Some(rank) = held.rank.take() {
            self.order.remove(&rank);
        }
        if held.requests > 0 {
            return;
        }
        self.ranked += 1;
        let rank = Rank {
            listening: held.listening > 0,
            since: now,
            number: self.ranked,
        };
        held.rank = Some(rank);
        self.order.insert(rank, id);
    }
}

impl Limits {
    /// Whether a session has been idle for too long. One that is listened to is not idle.
    fn is_over(self, rank: Rank, now: Instant) -> bool {
        !rank.listening && now.saturating_duration_since(rank.since) >= self.idle
    }
}

#[cfg(test)]
mod tests;
