//! Answers to requests of servers of revisions with a handshake, and how many of them may wait to be delivered.
//!
//! Motivation: a server that asks on without taking its answers would fill the memory of the client.

use std::sync::Arc;

use mcp_core::rpc::{RequestId, RpcError};
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::mpsc;

use crate::room::Room;
use crate::tally::Tally;
use crate::transport::{Metadata, Outgoing, Purpose, Receipt};

/// How many answers may wait. It is more than may wait to be heard: those are answered one right after the other.
const MAX_WAITING: usize = 1_024;

/// Each takes up as much room as it has text, and no less than this.
const LEAST: usize = Room::BYTES / MAX_WAITING;

/// The way of answers to the server.
#[derive(Debug)]
pub(crate) struct Answers {
    /// Beside the answers to questions, which are bounded where they are asked.
    room: Room,
    /// Held weakly: what reads must not keep alive what writes.
    outgoing: mpsc::WeakUnboundedSender<Outgoing>,
    dropped: Tally,
}

/// What a request of the server is answered with.
pub(crate) type Answer = Result<Box<RawValue>, RpcError>;

impl Answers {
    pub(crate) fn new(outgoing: &mpsc::UnboundedSender<Outgoing>) -> Self {
        Self {
            room: Room::new(),
            outgoing: outgoing.downgrade(),
            dropped: Tally::default(),
        }
    }

    /// Sends what needs no thought; nothing to a server that does not take its answers.
    pub(crate) fn send_at_once(&self, id: &RequestId, answer: Answer, metadata: Metadata) {
        let Some(text) = text(id, answer) else {
            return;
        };
        if let Some(room) = self.room.take(text.len().max(LEAST)) {
            return self.pass_on(text, metadata, Arc::new(room));
        }
        let kind = "a request of a server that does not take its answers";
        if self.dropped.is_first(kind) {
            tracing::warn!(target: "mcp_client", "the server does not take its answers; a request was dropped");
        }
    }

    /// Sends an answer that has a place already.
    #[cfg(feature = "legacy")]
    pub(crate) fn send(
        &self,
        id: &RequestId,
        answer: Answer,
        metadata: Metadata,
        receipt: Receipt,
    ) {
        if let Some(text) = text(id, answer) {
            self.pass_on(text, metadata, receipt);
        }
    }

    fn pass_on(&self, text: String, metadata: Metadata, receipt: Receipt) {
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

fn text(id: &RequestId, answer: Answer) -> Option<String> {
    let text = serde_json::to_string(&Response::new(id, answer));
    text.inspect_err(|error| {
        tracing::error!(target: "mcp_client", %error, "an answer cannot be written");
    })
    .ok()
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
    fn so_much_text_waits_and_no_more() {
        let (outgoing, mut queue) = mpsc::unbounded_channel();
        let answers = Answers::new(&outgoing);
        let half = RequestId::String("x".repeat(Room::BYTES / 2 - 100));
        for _ in 0..3 {
            answers.send_at_once(&half, pong(), Metadata::default());
        }
        let waiting = [queue.try_recv().unwrap(), queue.try_recv().unwrap()];
        assert!(queue.try_recv().is_err());
        drop(waiting);
        // A single one is taken whatever its length.
        let long = RequestId::String("x".repeat(Room::BYTES));
        answers.send_at_once(&long, pong(), Metadata::default());
        assert!(queue.try_recv().is_ok());
    }

    #[test]
    fn so_many_answers_wait_and_no_more() {
        let lines = logged(|| {
            let (outgoing, mut queue) = mpsc::unbounded_channel();
            let answers = Answers::new(&outgoing);
            let id = RequestId::Integer(1);
            for _ in 0..2_000 {
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
        assert!(lines[1].contains("975 times more"), "{lines:#?}");
    }
}
