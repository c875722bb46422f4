//! What a client and this server have agreed on, and what is under way between them.

use std::{
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use mcp_core::{Revision, protocol::meta::key, rpc::RawId};
use serde_json::value::RawValue;
use tokio::sync::Notify;

use super::{
    notices::Notices,
    object::{Beginning, Object},
    pages::Kept,
    requests::{NoAnswer, Requests},
};
use crate::{asking::Kinds, reporter::Outgoing};

/// A session of an earlier client's, from `initialize` on.
pub(crate) struct Session {
    pub(super) revision: Revision,
    /// What the client can be asked for.
    pub(super) kinds: Kinds,
    /// What the client has said of itself, as the `_meta` of each request says it today.
    pub(super) meta: Beginning,
    /// From which level on the client wants log messages, as JSON.
    level: Mutex<Box<str>>,
    /// What the client was asked.
    pub(super) requests: Requests,
    /// What the client hears of.
    pub(super) notices: Notices,
    /// Where messages go that belong to no request.
    pub(super) unrelated: Arc<dyn Outgoing>,
    /// Calls that go on when they come again.
    kept: Mutex<Vec<Kept>>,
    /// Nothing more comes from the client.
    ended: AtomicBool,
    /// Tells calls that wait for pages to look what has happened.
    pub(super) woken: Notify,
}

impl Session {
    pub(super) fn new(
        revision: Revision,
        kinds: Kinds,
        capabilities: &str,
        info: Option<&str>,
        unrelated: Arc<dyn Outgoing>,
    ) -> Self {
        let mut meta = Object::default();
        meta.set_text(key::PROTOCOL_VERSION, revision.as_str());
        meta.set(key::CLIENT_CAPABILITIES, capabilities);
        if let Some(info) = info {
            meta.set(key::CLIENT_INFO, info);
        }
        Self {
            revision,
            kinds,
            meta: meta.into(),
            // What a server sends before it was told, it may choose.
            level: Mutex::new(r#""info""#.into()),
            requests: Requests::default(),
            notices: Notices::default(),
            unrelated,
            kept: Mutex::default(),
            ended: AtomicBool::new(false),
            woken: Notify::new(),
        }
    }

    /// The revision that was agreed on.
    #[cfg(feature = "http")]
    pub(crate) fn revision(&self) -> Revision {
        self.revision
    }

    /// Nothing more comes from the client: what it was asked stays without an answer.
    pub(crate) fn end(&self) {
        self.requests.end();
        self.ended.store(true, Ordering::Release);
        self.woken.notify_waiters();
        let kept = std::mem::take(&mut *self.calls());
        drop(kept);
        self.notices.end();
    }

    pub(super) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Takes the answer to a request of this server's.
    pub(super) fn settle(&self, id: Option<RawId<'_>>, outcome: Result<&RawValue, &RawValue>) {
        self.requests.settle(id, outcome);
    }

    /// Whether somebody waited for an answer with this id, which came and cannot be read.
    pub(super) fn fail(&self, id: RawId<'_>) -> bool {
        self.requests.answer(id, Err(NoAnswer::Unreadable))
    }

    pub(super) fn level(&self) -> MutexGuard<'_, Box<str>> {
        self.level.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_level(&self, level: &str) {
        *self.level() = level.into();
    }

    pub(super) fn calls(&self) -> MutexGuard<'_, Vec<Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("revision", &self.revision)
            .field("kinds", &self.kinds)
            .finish_non_exhaustive()
    }
}
