//! The body of a response that reads a session's stream.

use std::{
    future::Future,
    pin::Pin,
    task::{Context as Task, Poll},
    time::Duration,
};

use bytes::Bytes;
use tokio::time::{Instant, Interval, MissedTickBehavior, Sleep};

use super::{
    sessions::InUse,
    streams::{Next, Reading},
};
use crate::transport::http::COMMENT;

/// A connection that reads a stream. Dropping it is no cancellation: the stream goes on.
pub(crate) struct Body {
    reading: Reading,
    /// When to write a comment.
    keep_alive: Interval,
    /// When the connection ends, and the stream does not.
    leaves: Option<Pin<Box<Sleep>>>,
    /// Ends a stream that has no end of its own.
    end: Option<End>,
    /// Keeps a session that is only listened to.
    listening: Option<InUse>,
    begun: bool,
    ended: bool,
}

type End = Pin<Box<dyn Future<Output = ()> + Send>>;

impl Body {
    /// Reads a stream, with a comment after each silence of this length.
    pub(super) fn new(reading: Reading, every: Duration) -> Self {
        let mut keep_alive = tokio::time::interval_at(Instant::now() + every, every);
        keep_alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self {
            reading,
            keep_alive,
            leaves: None,
            end: None,
            listening: None,
            begun: false,
            ended: false,
        }
    }

    /// Ends the connection after a time, for the client to come again.
    pub(super) fn leaving_after(mut self, time: Option<Duration>) -> Self {
        self.leaves = time.map(|time| Box::pin(tokio::time::sleep(time)));
        self
    }

    /// For a client that only listens, until `end`.
    pub(super) fn listening(
        mut self,
        session: InUse,
        end: impl Future<Output = ()> + Send + 'static,
    ) -> Self {
        self.listening = Some(session);
        self.end = Some(Box::pin(end));
        self
    }

    /// The next piece.
    pub(crate) fn poll(&mut self, cx: &mut Task<'_>) -> Poll<Option<Bytes>> {
        if self.ended {
            return Poll::Ready(None);
        }
        let begun = std::mem::replace(&mut self.begun, true);
        match self.reading.poll(cx) {
            Poll::Ready(Next::Event(event)) => return Poll::Ready(Some(event)),
            Poll::Ready(Next::End) => return self.close(),
            Poll::Pending => {}
        }
        let is_over = |future: &mut End| future.as_mut().poll(cx).is_ready();
        if self.end.as_mut().is_some_and(is_over) {
            return self.close();
        }
        if self
            .leaves
            .as_mut()
            .is_some_and(|leaves| leaves.as_mut().poll(cx).is_ready())
        {
            return self.close();
        }
        // Some proxies hold even the headers back until there is a byte of the body.
        if !begun || self.keep_alive.poll_tick(cx).is_ready() {
            return Poll::Ready(Some(Bytes::from_static(COMMENT)));
        }
        Poll::Pending
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }

    fn close(&mut self) -> Poll<Option<Bytes>> {
        self.ended = true;
        self.listening = None;
        Poll::Ready(None)
    }
}
