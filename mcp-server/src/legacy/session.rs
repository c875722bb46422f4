//! What a client and this server have agreed on, and what is under way between them.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use mcp_core::{
    Revision,
    protocol::{LoggingLevel, meta::key},
    rpc::{RawId, write_str},
};
use serde_json::value::RawValue;

use super::{
    notices::Notices,
    pages::Kept,
    requests::{NoAnswer, Requests},
};
use crate::{asking::Kinds, cancel::Cancel, reporter::Outgoing};

/// A session of an earlier client's, from `initialize` on.
pub(crate) struct Session {
    pub(super) revision: Revision,
    /// What the client can be asked for.
    pub(super) kinds: Kinds,
    /// What the client has said of itself, as the `_meta` of each request says it today: its first members.
    pub(super) meta: Box<str>,
    /// From which level on the client wants log messages.
    level: Mutex<LoggingLevel>,
    /// What the client was asked.
    pub(super) requests: Requests,
    /// What the client hears of.
    pub(super) notices: Notices,
    /// Where messages go that belong to no request.
    pub(super) unrelated: Arc<dyn Outgoing>,
    /// Calls that go on when they come again.
    kept: Mutex<Vec<Kept>>,
    /// Nothing more comes from the client.
    pub(super) ended: Cancel,
}

impl Session {
    pub(super) fn new(
        revision: Revision,
        kinds: Kinds,
        capabilities: &str,
        info: Option<&str>,
        unrelated: Arc<dyn Outgoing>,
    ) -> Self {
        let mut meta = Vec::new();
        let mut member = |name: &str, json: &str| {
            write_str(&mut meta, name);
            meta.push(b':');
            meta.extend_from_slice(json.as_bytes());
            meta.push(b',');
        };
        member(key::PROTOCOL_VERSION, &format!("\"{revision}\""));
        member(key::CLIENT_CAPABILITIES, capabilities);
        if let Some(info) = info {
            member(key::CLIENT_INFO, info);
        }
        Self {
            revision,
            kinds,
            meta: String::from_utf8(meta).unwrap_or_default().into(),
            // What a server sends before it was told, it may choose.
            level: Mutex::new(LoggingLevel::Info),
            requests: Requests::default(),
            notices: Notices::default(),
            unrelated,
            kept: Mutex::default(),
            ended: Cancel::default(),
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
        self.ended.cancel();
        let kept = std::mem::take(&mut *self.calls());
        drop(kept);
        self.notices.end();
    }

    /// Takes the answer to a request of this server's.
    pub(super) fn settle(&self, id: Option<RawId<'_>>, outcome: Result<&RawValue, &RawValue>) {
        self.requests.settle(id, outcome);
    }

    /// Whether somebody waited for an answer with this id, which came and cannot be read.
    pub(super) fn fail(&self, id: RawId<'_>) -> bool {
        self.requests.answer(id, Err(NoAnswer::Unreadable))
    }

    pub(super) fn level(&self) -> LoggingLevel {
        *self.lock()
    }

    pub(super) fn set_level(&self, level: LoggingLevel) {
        *self.lock() = level;
    }

    pub(super) fn calls(&self) -> MutexGuard<'_, Vec<Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, LoggingLevel> {
        self.level.lock().unwrap_or_else(PoisonError::into_inner)
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
