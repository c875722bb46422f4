//! One session over HTTP: whose it is, what its client has negotiated, which of its requests are under way, its streams.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use mcp_core::{
    Revision,
    rpc::{RawId, RequestId},
};
use tokio::time::Instant;

use super::streams::{Budget, Streams};
use crate::{
    dispatch::Arrival,
    legacy::Connection,
    running::Open,
    state::{Principal, SealError, random_id},
};

/// A session: what holds between the requests of one client.
pub(super) struct Session {
    /// 128 random bits: who knows it, and is the same principal, is the client.
    id: Arc<str>,
    principal: Principal,
    connection: Connection,
    streams: Arc<Streams>,
    requests: Mutex<Requests>,
}

#[derive(Default)]
struct Requests {
    under_way: HashMap<RequestId, (u64, Open)>,
    begun: u64,
    ended: bool,
}

impl Session {
    /// A session that is not begun: its client says `initialize` first.
    ///
    /// # Errors
    ///
    /// Where the operating system gives no random bytes.
    pub(super) fn new(principal: Principal, all: &Arc<Budget>) -> Result<Self, SealError> {
        Ok(Self {
            id: random_id()?.into(),
            principal,
            connection: Connection::default(),
            streams: Arc::new(Streams::within(all)),
            requests: Mutex::default(),
        })
    }

    pub(super) fn id(&self) -> &Arc<str> {
        &self.id
    }

    pub(super) fn principal(&self) -> &Principal {
        &self.principal
    }

    /// Whether it belongs to this caller: to know an id is not enough.
    pub(super) fn is_of(&self, principal: &Principal) -> bool {
        self.principal == *principal
    }

    pub(super) fn streams(&self) -> &Arc<Streams> {
        &self.streams
    }

    /// The negotiated revision; none before `initialize`.
    pub(super) fn revision(&self) -> Option<Revision> {
        self.connection.session().map(|session| session.revision())
    }

    /// Whether the client knows connections that end before their streams do.
    pub(super) fn polls(&self) -> bool {
        self.revision() >= Some(Revision::V2025_11_25)
    }

    /// How many requests are under way.
    pub(super) fn requests(&self) -> usize {
        self.lock().under_way.len()
    }

    /// Takes note of a request that waits; none where another one has the id, which has come at the same time. The session
    /// may be over already: then it is given up.
    pub(super) fn note(self: &Arc<Self>, id: RequestId, open: Open) -> Option<UnderWay> {
        let mut requests = self.lock();
        if requests.under_way.contains_key(&id) {
            return None;
        }
        requests.begun += 1;
        let number = requests.begun;
        if requests.ended {
            drop(requests);
            open.give_up();
        } else {
            requests.under_way.insert(id.clone(), (number, open));
        }
        Some(UnderWay {
            session: Arc::clone(self),
            id,
            number,
        })
    }

    /// Nobody can answer any more: what the client was asked stays without an answer.
    pub(super) fn hang_up(&self) {
        if let Some(session) = self.connection.session() {
            session.end();
        }
    }

    /// The client gives a request up, if it is still under way.
    pub(super) fn cancel(&self, id: &RequestId) {
        let cancelled = self.lock().under_way.remove(id);
        if let Some((_, open)) = cancelled {
            open.give_up();
        }
    }

    /// It is over: what is under way is given up, and its connections end.
    pub(super) fn end(&self) {
        let mut requests = self.lock();
        requests.ended = true;
        let under_way = std::mem::take(&mut requests.under_way);
        drop(requests);
        for (_, open) in under_way.values() {
            open.give_up();
        }
        self.connection.end();
        self.streams.close();
    }

    /// Forgets what nobody will ask for any more.
    pub(super) fn sweep(&self, now: Instant) {
        self.streams.sweep(now);
    }

    fn lock(&self) -> MutexGuard<'_, Requests> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A message that came with the session's id, or begins it.
impl Arrival for Session {
    fn is_open(&self, id: RawId<'_>) -> bool {
        self.lock().under_way.contains_key(&id.to_id())
    }

    fn earlier(&self) -> Option<&Connection> {
        Some(&self.connection)
    }
}

/// A request that waits. Its id is free when this is dropped.
pub(super) struct UnderWay {
    session: Arc<Session>,
    id: RequestId,
    number: u64,
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let mut requests = self.session.lock();
        // After a cancellation, it may be another request that has the id.
        let mine = requests.under_way.get(&self.id);
        if mine.is_some_and(|(number, _)| *number == self.number) {
            let ended = requests.under_way.remove(&self.id);
            drop(requests);
            // Not under the lock: it may be the last to hold the call.
            drop(ended);
        }
    }
}
