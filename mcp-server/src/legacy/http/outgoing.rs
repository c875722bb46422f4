//! What the requests of one POST send: the stream that is their response.

use std::sync::{Arc, OnceLock};

use tokio::time::Instant;

use super::{
    session::Session,
    streams::{Reading, UNRELATED},
};
use crate::reporter::Outgoing;

/// The stream of one POST, which begins with its first event or where its response becomes one.
pub(super) struct Response {
    session: Arc<Session>,
    /// Whether the client takes a stream.
    wanted: bool,
    stream: OnceLock<u64>,
}

impl Response {
    pub(super) fn new(session: &Arc<Session>, wanted: bool) -> Self {
        Self {
            session: Arc::clone(session),
            wanted,
            stream: OnceLock::new(),
        }
    }

    /// One that is sent on the stream that belongs to no request.
    pub(super) fn apart(session: &Arc<Session>) -> Self {
        Self {
            session: Arc::clone(session),
            wanted: true,
            stream: OnceLock::from(UNRELATED),
        }
    }

    pub(super) fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// Whether a connection reads the stream.
    pub(super) fn is_read(&self) -> bool {
        let stream = self.stream.get();
        stream.is_some_and(|stream| self.session.streams().is_read(*stream))
    }

    /// Whether something was sent.
    pub(super) fn has_begun(&self) -> bool {
        self.stream.get().is_some()
    }

    /// The stream, read from its beginning.
    pub(super) fn read(&self) -> Reading {
        self.session.streams().read(self.stream(), false)
    }

    /// Sends an answer.
    pub(super) fn answer(&self, message: &[u8]) {
        self.session.streams().send(self.stream(), message, true);
    }

    /// Nothing more comes.
    pub(super) fn end(&self) {
        if let Some(stream) = self.stream.get()
            && *stream != UNRELATED
        {
            self.session.streams().end(*stream, Instant::now());
        }
    }

    fn stream(&self) -> u64 {
        let begin = || self.session.streams().begin(self.session.polls());
        *self.stream.get_or_init(begin)
    }
}

impl Outgoing for Response {
    fn send(&self, _call: u64, message: Vec<u8>) {
        if self.wanted {
            let streams = self.session.streams();
            streams.send(self.stream(), &message, false);
        }
    }

    /// What must arrive goes where the client listens, if it takes no stream here.
    fn deliver(&self, _call: u64, message: Vec<u8>) {
        let stream = if self.wanted {
            self.stream()
        } else {
            UNRELATED
        };
        self.session.streams().send(stream, &message, true);
    }

    fn close_stream(&self, _call: u64) {
        if self.wanted && self.session.polls() {
            self.session.streams().cut(self.stream());
        }
    }
}
