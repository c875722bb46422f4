//! Answers to requests of servers of revisions with a handshake, and how many of them may wait to be delivered.
//!
//! Motivation: a server that asks on without taking its answers would fill the memory of the client.

use std::sync::Arc;

use mcp_core::rpc::{RequestId, RpcError};
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::{Semaphore, mpsc};

use crate::tally::Tally;
use crate::transport::{Metadata, Outgoing, Purpose, Receipt};

/// How many may wait beside those to questions, which are bounded where they are asked.
const MAX_WAITING: usize = 100;

/// The way of answers to the server.
#[derive(Debug)]
pub(crate) struct Answers {
    places: Arc<Semaphore>,
    /// Held weakly: what reads must not keep alive what writes.
    outgoing: mpsc::WeakUnboundedSender<Outgoing>,
    dropped: Tally,
}

/// What a request of the server is answered with.
pub(crate) type Answer = Result<Box<RawValue>, RpcError>;

impl Answers {
    pub(crate) fn new(outgoing: &mpsc::UnboundedSender<Outgoing>) -> Self {
        Self {
            places: Arc::new(Semaphore::new(MAX_WAITING)),
            outgoing: outgoing.downgrade(),
            dropped: Tally::default(),
        }
    }

    /// Sends what needs no thought; nothing to a server that does not take its answers.
    pub(crate) fn send_at_once(&self, id: &RequestId, answer: Answer, metadata: Metadata) {
        if let Ok(place) = Arc::clone(&self.places).try_acquire_owned() {
            return self.send(id, answer, metadata, Arc::new(place));
        }
        let kind = "a request of a server that does not take its answers";
        if self.dropped.is_first(kind) {
            tracing::warn!(target: "mcp_client", "the server does not take its answers; a request was dropped");
        }
    }

    /// Sends an answer that has a place already.
    pub(crate) fn send(
        &self,
        id: &RequestId,
        answer: Answer,
        metadata: Metadata,
        receipt: Receipt,
    ) {
        let text = match serde_json::to_string(&Response::new(id, answer)) {
            Ok(text) => text,
            Err(error) => {
                tracing::error!(target: "mcp_client", %error, "an answer cannot be written");
                return;
            }
        };
        if let Some(outgoing) = self.outgoing.upgrade() {
            // Without a writer the connection is closed, and the server waits no more.
            let _ = outgoing.send(Outgoing {
                text,
                purpose: Purpose::Response,
                metadata,
                receipt: Some(receipt),
            });
        }
    }
}

/// The answer to a ping.
pub(crate) fn pong() -> Answer {
    Ok(RawValue::from_string("{}".to_owned()).unwrap_or_default())
}

/// A message that answers the server, as the members that it has.
#[derive(Serialize)]
struct Response<'a> {
    jsonrpc: &'static str,
    id: &'a RequestId,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<RpcError>,
}

impl<'a> Response<'a> {
    fn new(id: &'a RequestId, answer: Answer) -> Self {
        let (result, error) = match answer {
            Ok(result) => (Some(result), None),
            Err(error) => (None, Some(error)),
        };
        Self {
            jsonrpc: "2.0",
            id,
            result,
            error,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::tally::testing::logged;

    #[test]
    fn so_many_answers_wait_and_no_more() {
        let lines = logged(|| {
            let (outgoing, mut queue) = mpsc::unbounded_channel();
            let answers = Answers::new(&outgoing);
            let id = RequestId::Integer(1);
            for _ in 0..1_000 {
                answers.send_at_once(&id, pong(), Metadata::default());
            }
            let mut waiting = Vec::new();
            while let Ok(message) = queue.try_recv() {
                waiting.push(message);
            }
            assert_eq!(waiting.len(), MAX_WAITING);
            assert_eq!(waiting[0].text, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
            // Those that are delivered make room.
            drop(waiting);
            answers.send_at_once(&id, pong(), Metadata::default());
            assert!(queue.try_recv().is_ok());
        });
        assert_eq!(lines.len(), 2, "{lines:#?}");
        assert!(lines[1].contains("899 times more"), "{lines:#?}");
    }
}
