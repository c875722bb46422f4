//! Log messages of the server, on their way to the host's handler.

use serde_json::value::RawValue;
use tokio::sync::{OwnedSemaphorePermit, mpsc};

use crate::room::Room;

/// How many wait for a slow handler; further ones are dropped.
const MAX_MESSAGES: usize = 1_024;

/// Called with each log message.
pub(crate) type LogSink = Box<dyn Fn(&RawValue) + Send>;

/// What the handler has not seen yet.
#[derive(Clone, Debug)]
pub(crate) struct LogQueue {
    messages: mpsc::Sender<Waiting>,
    /// For the text of all of them, with the one that is being handled.
    room: Room,
}

#[derive(Debug)]
struct Waiting {
    params: Box<RawValue>,
    _room: OwnedSemaphorePermit,
}

impl LogQueue {
    /// The host's handler runs beside the reader: slow or panicking, it holds nothing up.
    pub(crate) fn new(sink: LogSink) -> Self {
        let (sender, mut messages) = mpsc::channel::<Waiting>(MAX_MESSAGES);
        tokio::spawn(async move {
            while let Some(message) = messages.recv().await {
                sink(&message.params);
            }
        });
        Self {
            messages: sender,
            room: Room::new(),
        }
    }

    /// Takes a message, if there is room for it.
    pub(super) fn add(&self, params: Box<RawValue>) {
        if let Some(room) = self.room.take(params.get().len()) {
            let waiting = Waiting {
                params,
                _room: room,
            };
            drop(self.messages.try_send(waiting));
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// How long the messages are that reach the handler, of some of these lengths.
    async fn handled(lengths: impl IntoIterator<Item = usize>) -> Vec<usize> {
        let (seen, mut handled) = mpsc::unbounded_channel();
        let queue = LogQueue::new(Box::new(move |params| {
            seen.send(params.get().len()).unwrap();
        }));
        for length in lengths {
            let text = format!("\"{}\"", "x".repeat(length - 2));
            queue.add(RawValue::from_string(text).unwrap());
        }
        drop(queue);
        let mut lengths = Vec::new();
        while let Some(length) = handled.recv().await {
            lengths.push(length);
        }
        lengths
    }

    #[tokio::test]
    async fn what_waits_for_a_slow_handler_is_bounded_in_number_and_in_size() {
        let many = handled([3; 2 * MAX_MESSAGES]).await;
        assert_eq!(many.len(), MAX_MESSAGES);
        let half = Room::BYTES / 2;
        assert_eq!(handled([half, half, 3]).await, [half, half]);
        // The transport has taken it, however long it is.
        let long = 2 * Room::BYTES;
        assert_eq!(handled([long, 3]).await, [long]);
        assert_eq!(handled([3, long, 4]).await, [3, 4]);
    }
}
