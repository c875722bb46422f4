//! Messages that have no answer: notifications, and the answers to requests of the server.
//!
//! Motivation: a call that asks waits until somebody has answered, so an answer that is lost with its connection
//! would cost the whole call. To say such a message twice does no harm.

use std::time::Duration;

use tokio::time::{sleep, timeout};

use super::resume::{Refused, refused};
use super::session::Session;
use super::{Connection, reason};
use crate::excerpt::Excerpt;
use crate::transport::http::endpoint::{End, error_in, failed};
use crate::transport::{Outgoing, Purpose};

/// How long it may take until the server has accepted a message.
const PATIENCE: Duration = Duration::from_secs(30);

/// The pauses before a message is sent again that did not arrive.
const PAUSES: [Duration; 3] = [
    Duration::from_millis(200),
    Duration::from_secs(1),
    Duration::from_secs(4),
];

impl Connection {
    /// Sends a message that has no answer; failures are said in the log.
    pub(super) async fn tell(&self, session: &Session, message: Outgoing) {
        let late = |_| Err(format!("nothing came back within {PATIENCE:?}"));
        let delivered = timeout(PATIENCE, self.deliver(session, &message)).await;
        let Err(reason) = delivered.unwrap_or_else(late) else {
            return;
        };
        self.not_delivered(&message, &reason);
    }

    /// A server that refuses every answer must not fill the log.
    fn not_delivered(&self, message: &Outgoing, reason: &str) {
        let reason = Excerpt(reason);
        if message.purpose == Purpose::Response {
            let kind = "an answer to a request of the server that could not be delivered";
            if self.undelivered.is_first(kind) {
                tracing::warn!(target: "mcp_client", %reason, "an answer to a request of the server could not be delivered");
            }
        } else if self
            .undelivered
            .is_first("a notification that could not be delivered")
        {
            let method = &message.metadata.method;
            tracing::warn!(target: "mcp_client", method, %reason, "a notification could not be delivered");
        }
    }

    async fn deliver(&self, session: &Session, message: &Outgoing) -> Result<(), String> {
        let mut pauses = PAUSES.into_iter();
        loop {
            let end = match self.say(session, message).await {
                Ok(()) => return Ok(()),
                Err(end) => end,
            };
            match pauses.next() {
                Some(pause) if refused(&end, true) == Refused::ForNow => sleep(pause).await,
                _ => return Err(reason(session.redact(end))),
            }
        }
    }

    async fn say(&self, session: &Session, message: &Outgoing) -> Result<(), End> {
        let response = self.post(session, message.clone()).await?;
        let status = response.status();
        // What else it says of a message that it accepts means nothing.
        if status.is_success() {
            return Ok(());
        }
        let error = self.endpoint.read_message(response).await?;
        Err(failed(status, error_in(&error).unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tally::testing::logged;
    use crate::transport::Metadata;
    use crate::transport::http::legacy::testing::connection;

    #[test]
    fn what_the_server_does_not_take_is_in_the_log_once() {
        let lines = logged(|| {
            let connection = connection();
            for purpose in [Purpose::Response, Purpose::Notification] {
                let message = Outgoing {
                    text: String::new(),
                    purpose,
                    metadata: Metadata::default(),
                    receipt: None,
                };
                for _ in 0..1_000 {
                    connection.not_delivered(&message, "no\nway");
                }
            }
        });
        assert_eq!(lines.len(), 4, "{lines:#?}");
        for line in &lines[..2] {
            assert!(line.contains(r"no\nway"), "{lines:#?}");
        }
        for line in &lines[2..] {
            assert!(line.contains("999 times more"), "{lines:#?}");
        }
    }
}
