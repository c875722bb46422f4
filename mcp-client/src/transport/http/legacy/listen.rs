//! The stream of what belongs to no request: changes, and what the server wants to know in between.
//!
//! Specification: revision 2025-11-25, basic/transports, Listening for Messages from the Server.

use std::sync::Arc;

use tokio::sync::oneshot;

use super::resume::{Cursor, MAX_FRUITLESS, Refused};
use super::session::Session;
use super::{Connection, reason};
use crate::excerpt::Excerpt;
use crate::legacy::batch;
use crate::transport::Received;
use crate::transport::http::stream::Stream;

impl Connection {
    /// Listens for as long as the session lasts. Most servers have nothing to say, and no such stream.
    /// `opening` is dropped when the server has answered.
    pub(super) async fn listen(self: Arc<Self>, session: Session, opening: oneshot::Sender<()>) {
        tokio::select! {
            () = self.up.closed() => {}
            () = self.keep_listening(&session, opening) => {}
        }
    }

    async fn keep_listening(&self, session: &Session, opening: oneshot::Sender<()>) {
        let mut opening = Some(opening);
        let mut cursor = Cursor::default();
        let mut was_open = false;
        loop {
            let got = self.get(session, &mut cursor).await;
            drop(opening.take());
            match got {
                Ok(response) => {
                    was_open = true;
                    let mut stream = Stream::new(response, self.endpoint.max_message);
                    stream.is_shared = true;
                    self.hear(session, stream, &mut cursor).await;
                }
                Err((Refused::NoSession, _)) if was_open => {
                    let _ = self.up.send(Received::SessionEnded).await;
                    return;
                }
                // It does not take streams up again, or not this one.
                Err((Refused::ForGood, _)) if cursor.has_position() => cursor.forget_position(),
                Err((Refused::ForNow, _)) if cursor.fruitless() < MAX_FRUITLESS => {}
                // Nobody knows whether the server comes back. Whoever minds by then begins another session.
                Err((Refused::ForNow, _)) if was_open => {
                    let _ = self.up.send(Received::SessionAway).await;
                }
                Err((_, end)) => {
                    let reason = Excerpt(reason(session.redact(end)));
                    if was_open {
                        tracing::warn!(target: "mcp_client", %reason, "changes are not heard of any more");
                        let _ = self.up.send(Received::SessionEnded).await;
                    } else {
                        tracing::debug!(target: "mcp_client", %reason, "the server has no stream for what belongs to no request");
                    }
                    return;
                }
            }
            cursor.pause().await;
        }
    }

    /// Hands up what comes until the stream ends.
    async fn hear(&self, session: &Session, mut stream: Stream, cursor: &mut Cursor) {
        let mut had_message = false;
        while let Ok(next) = stream.next().await {
            let event = match next {
                Ok(event) => event,
                Err(too_long) => {
                    let (id, limit) = (too_long.id, self.endpoint.max_message);
                    let _ = self.up.send(Received::TooLong { id, limit }).await;
                    continue;
                }
            };
            cursor.pass(&event);
            let Some(message) = event.into_message() else {
                continue;
            };
            had_message = true;
            for message in batch::split(&message).unwrap_or_else(|| vec![message]) {
                self.hand_up(session, None, message).await;
            }
        }
        cursor.ended_for_listener(had_message);
    }
}
