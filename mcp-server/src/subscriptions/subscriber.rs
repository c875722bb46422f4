//! One subscription, as the hub and its transport share it.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context as Task, Poll, Waker},
};

use super::{
    filter::{Filter, Lists},
    hub::{Changes, Hub},
};
use crate::{resource::spelled, waking};

/// A client that listens: what for, and what it has not heard of yet.
#[derive(Debug)]
pub(crate) struct Subscriber {
    hub: Arc<Hub>,
    /// Where the hub has it, and whether it counts there.
    place: (usize, bool),
    left: AtomicBool,
    /// Tells its messages from those of others on their way out.
    number: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    filter: Filter,
    lists: Lists,
    /// A bit for each resource of the filter; empty while none of them has changed.
    uris: Box<[u64]>,
    end: Option<End>,
    /// Who waits for changes.
    waker: Option<Waker>,
}

/// How a subscription ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The client does not listen any more: nothing else is sent.
    GivenUp,
    /// The server does not go on.
    Closed,
}

/// Something that has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change<'a> {
    /// A list, told by a notification of this name.
    List(&'static str),
    /// A resource.
    Resource(&'a str),
}

impl Subscriber {
    pub(super) fn new(hub: Arc<Hub>, place: (usize, bool), number: u64, filter: Filter) -> Self {
        Self {
            hub,
            place,
            left: AtomicBool::new(false),
            number,
            state: Mutex::new(State {
                filter,
                ..State::default()
            }),
        }
    }

    /// Tells the subscription's messages from those of others.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The client does not listen any more. The place is free at once, and nothing is sent any more.
    pub(crate) fn give_up(&self) {
        self.leave();
        self.end(End::GivenUp);
    }

    /// The server does not go on: the client is told so.
    pub(crate) fn close(&self) {
        self.end(End::Closed);
    }

    fn end(&self, how: End) {
        let mut state = self.lock();
        state.end.get_or_insert(how);
        let waker = state.waker.take();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn leave(&self) {
        if !self.left.swap(true, Ordering::AcqRel) {
            self.hub.leave(self.place);
        }
    }

    /// Keeps those of the changes in mind that it listens for; gives whom to wake.
    pub(super) fn changed(&self, changes: &Changes) -> Option<Waker> {
        let mut state = self.lock();
        let lists = state.filter.lists.and(changes.lists);
        let mut any = !lists.is_empty();
        state.lists = state.lists.with(lists, true);
        if !changes.uris.is_empty() {
            let State { filter, uris, .. } = &mut *state;
            for (index, uri) in filter.uris.iter().enumerate() {
                if changes.uris.contains(&*spelled(uri)) {
                    any = true;
                    if uris.is_empty() {
                        *uris = no_bits(filter.uris.len());
                    }
                    set(uris, index);
                }
            }
        }
        if any { state.waker.take() } else { None }
    }

    /// Waits for the end, and hands on what has changed meanwhile, as far as there is `room`.
    ///
    /// It is handed on under the lock, so that nothing follows once the client has given up.
    pub(crate) fn poll(
        &self,
        cx: &mut Task<'_>,
        room: Poll<()>,
        hand_on: &mut dyn FnMut(Change<'_>),
    ) -> Poll<End> {
        let mut state = self.lock();
        if state.end == Some(End::GivenUp) {
            return Poll::Ready(End::GivenUp);
        }
        // Whoever is told of the end hears of everything that came before it.
        if room.is_ready() || state.end.is_some() {
            let lists = std::mem::take(&mut state.lists);
            for method in lists.methods() {
                hand_on(Change::List(method));
            }
            let uris = std::mem::take(&mut state.uris);
            for (index, uri) in state.filter.uris.iter().enumerate() {
                if has(&uris, index) {
                    hand_on(Change::Resource(uri));
                }
            }
        }
        if let Some(end) = state.end {
            return Poll::Ready(end);
        }
        let before = waking::replace(&mut state.waker, cx.waker());
        drop(state);
        drop(before);
        Poll::Pending
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// For whom subscribes to one resource after the other.
impl Subscriber {
    /// Listens for one resource more; says whether there was room for it.
    pub(crate) fn add(&self, uri: &str) -> bool {
        let mut state = self.lock();
        let State { filter, uris, .. } = &mut *state;
        let room = filter.add(uri);
        if !uris.is_empty() {
            // What is added stands behind all others: their bits stay where they are.
            let mut bits = std::mem::take(uris).into_vec();
            bits.resize(words(filter.uris.len()), 0);
            *uris = bits.into();
        }
        room
    }

    /// Does not listen for a resource any more, however it is spelled.
    pub(crate) fn remove(&self, uri: &str) {
        let gone = spelled(uri);
        let mut state = self.lock();
        let State { filter, uris, .. } = &mut *state;
        let bits = std::mem::take(uris);
        let (mut kept, mut changed) = (Vec::new(), Vec::new());
        for (index, uri) in std::mem::take(&mut filter.uris).into_iter().enumerate() {
            if spelled(&uri) == gone {
                continue;
            }
            if has(&bits, index) {
                changed.push(kept.len());
            }
            kept.push(uri);
        }
        filter.uris = kept.into();
        if !changed.is_empty() {
            *uris = no_bits(filter.uris.len());
        }
        for index in changed {
            set(uris, index);
        }
    }
}

/// How many words have a bit for each of so many resources.
fn words(resources: usize) -> usize {
    resources.div_ceil(64)
}

/// A bit for each of so many resources, none of which has changed.
fn no_bits(resources: usize) -> Box<[u64]> {
    vec![0; words(resources)].into()
}

/// Says that the resource at this place has changed.
fn set(bits: &mut [u64], index: usize) {
    bits[index / 64] |= 1 << (index % 64);
}

/// Whether the resource at this place has changed.
fn has(bits: &[u64], index: usize) -> bool {
    bits.get(index / 64)
        .is_some_and(|word| word >> (index % 64) & 1 == 1)
}
