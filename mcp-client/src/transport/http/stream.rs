//! A response that is a stream of events, read one event at a time.

use std::collections::VecDeque;

use reqwest::Response;

use super::endpoint::{End, broken, failed};
use super::sse::{Event, Events, TooLong};

/// A stream of events.
#[derive(Debug)]
pub(super) struct Stream {
    /// Several requests depend on it: one event beyond the limit is skipped up to its end, however long that
    /// takes. On the stream of one request it ends that request at once.
    pub(super) is_shared: bool,
    response: Response,
    events: Events,
    /// What came in one piece.
    ready: VecDeque<Result<Event, TooLong>>,
}

impl Stream {
    /// Takes events with up to `limit` bytes of data.
    pub(super) fn new(response: Response, limit: usize) -> Self {
        Self {
            is_shared: false,
            response,
            events: Events::new(limit),
            ready: VecDeque::new(),
        }
    }

    /// Waits for the next event; the error says how the stream ended. Cancel safe.
    pub(super) async fn next(&mut self) -> Result<Result<Event, TooLong>, End> {
        loop {
            if let Some(next) = self.ready.pop_front() {
                return Ok(next);
            }
            if self.events.is_too_long() && !self.is_shared {
                return Ok(Err(TooLong { id: None }));
            }
            let status = self.response.status();
            let chunk = self.response.chunk().await;
            let Some(chunk) = chunk.map_err(|e| broken(status, &e))? else {
                let reason = "the event stream ended before the answer";
                return Err(failed(status, reason.to_owned()));
            };
            let mut bytes = &chunk[..];
            while let Some(next) = self.events.next(&mut bytes).transpose() {
                self.ready.push_back(next);
            }
        }
    }

    /// Reads to the end of the stream, for the sake of the connection.
    pub(super) async fn drain(mut self) {
        while let Ok(Some(_)) = self.response.chunk().await {}
    }
}
