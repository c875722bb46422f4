//! The transport of 2024-11-05: one stream brings every message of the server, and its first event says where
//! those of the client go.
//!
//! Specification: revision 2024-11-05, basic/transports, HTTP with SSE.
//!
//! The stream is the session: when it ends, the session has ended.

use std::collections::HashMap;
use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use reqwest::{Method, StatusCode, Url};
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::lost::session_ended;
use super::session::{Accepts, Session, secrets_of};
use super::{Connection, Handshake, reason};
use crate::legacy::batch;
use crate::transport::http::endpoint::{End, is_stream};
use crate::transport::http::post::Answer;
use crate::transport::http::stream::Stream;
use crate::transport::{Failure, Outgoing, Received};
use crate::wire::{self, Incoming};

/// How long the server may take to say where messages go. It has nothing to find out for that.
const PATIENCE: Duration = Duration::from_secs(10);

/// An open stream, and where messages go.
pub(super) struct Channel {
    post_to: Url,
    /// What of that names the session.
    secrets: Vec<String>,
    /// What begins the session. What comes before the answer is said on its behalf.
    handshake: Handshake,
    /// The requests that wait for their answers; `None` when the stream has ended.
    waiting: Mutex<Option<HashMap<u64, Waiter>>>,
}

type Waiter = oneshot::Sender<Result<Vec<u8>, End>>;

impl Connection {
    /// Opens the stream for this handshake and keeps it; the error says why there is none.
    pub(super) async fn open_channel(
        self: &Arc<Self>,
        handshake: &Handshake,
    ) -> Result<Arc<Channel>, String> {
        let late = |_| Err(format!("no endpoint was named within {PATIENCE:?}"));
        let opened = timeout(PATIENCE, self.open_stream()).await;
        let (post_to, stream) = opened.unwrap_or_else(late)?;
        let channel = Arc::new(Channel {
            secrets: secrets_of(&post_to, &self.endpoint.url),
            post_to,
            handshake: handshake.clone(),
            waiting: Mutex::new(Some(HashMap::new())),
        });
        let (connection, reading) = (Arc::clone(self), Reading(Arc::clone(&channel)));
        let task = tokio::spawn(async move {
            tokio::select! {
                () = connection.up.closed() => {}
                () = connection.came_to_nothing(reading.0.handshake.clone()) => {}
                () = reading.0.read(stream, &connection) => {}
            }
        });
        self.keep(handshake.number, task.abort_handle());
        Ok(channel)
    }

    /// Waits until a handshake has begun no session, and nobody waits for it any more.
    async fn came_to_nothing(&self, mut handshake: Handshake) {
        // The error says that it is over.
        let _ = handshake.over.changed().await;
        if self.lock().newest >= handshake.number {
            pending().await
        }
    }

    async fn open_stream(&self) -> Result<(Url, Stream), String> {
        let (own, url) = (&self.endpoint.headers, &self.endpoint.url);
        let headers = Session::default().headers(own, None, Accepts::Stream);
        let sent = self.endpoint.send(Method::GET, url, headers, String::new());
        let response = sent.await.map_err(reason)?;
        let status = response.status();
        if !status.is_success() || !is_stream(&response) {
            return Err(format!("the server answered {status} to GET"));
        }
        let base = response.url().clone();
        let mut stream = Stream::new(response, self.endpoint.max_message);
        stream.is_shared = true;
        let first = loop {
            let first = stream.next().await.map_err(reason)?;
            let first = first.map_err(|_| "the first event is too long".to_owned())?;
            // A position or a delay alone is no event.
            if !first.name.is_empty() || !first.data.is_empty() {
                break first;
            }
        };
        if first.name != b"endpoint" {
            return Err("the first event does not name an endpoint".to_owned());
        }
        let mut post_to = endpoint(&base, &first.data)?;
        // The host's credentials, which are in no URL once a request is sent.
        let _ = post_to.set_username(url.username());
        let _ = post_to.set_password(url.password());
        Ok((post_to, stream))
    }
}

impl Channel {
    pub(super) fn url(&self) -> &Url {
        &self.post_to
    }

    pub(super) fn secrets(&self) -> &[String] {
        &self.secrets
    }

    /// Sends a request and waits for its answer.
    pub(super) async fn ask(
        &self,
        connection: &Connection,
        id: u64,
        message: Outgoing,
    ) -> Result<Answer, End> {
        let (waiter, mut answer) = oneshot::channel();
        match &mut *self.lock() {
            Some(waiting) => waiting.insert(id, waiter),
            None => return Err(session_ended("the event stream has ended".to_owned())),
        };
        let _waits = Waits { channel: self, id };
        let message = tokio::select! {
            biased;
            answered = &mut answer => answered,
            sent = self.send(connection, message) => match sent? {
                // It has the answer already: an error.
                Some(message) => Ok(Ok(message)),
                None => answer.await,
            },
        };
        let lost = |_| {
            Err(End::Failed(Failure::Failed {
                status: None,
                reason: "the event stream ended before the answer".to_owned(),
            }))
        };
        Ok(Answer {
            message: message.unwrap_or_else(lost)?,
            rest: None,
        })
    }

    /// Sends a request; returns what refuses it.
    async fn send(
        &self,
        connection: &Connection,
        message: Outgoing,
    ) -> Result<Option<Vec<u8>>, End> {
        let endpoint = &connection.endpoint;
        let headers = Session::default().headers_of(&endpoint.headers, &message.metadata);
        let sent = endpoint.send(Method::POST, &self.post_to, headers, message.text);
        let response = sent.await?;
        match response.status() {
            status if status.is_success() => Ok(None),
            status @ StatusCode::NOT_FOUND => {
                Err(session_ended(format!("the server answered {status}")))
            }
            _ => endpoint.read_message(response).await.map(Some),
        }
    }

    /// Hands out what comes until the stream ends.
    async fn read(&self, mut stream: Stream, connection: &Connection) {
        while let Ok(next) = stream.next().await {
            let message = match next {
                Ok(event) => event.into_message(),
                Err(too_long) => {
                    self.too_long(too_long.id, connection).await;
                    None
                }
            };
            let Some(message) = message else { continue };
            for message in batch::split(&message).unwrap_or_else(|| vec![message]) {
                self.hand_out(message, connection).await;
            }
        }
        self.end();
        let _ = connection.up.send(Received::SessionEnded).await;
    }

    async fn hand_out(&self, message: Vec<u8>, connection: &Connection) {
        let id = match wire::parse(&message) {
            Ok(Incoming::Response { id, .. }) => id,
            _ => None,
        };
        match id.and_then(|id| self.waiter(id)) {
            // An error means that it was given up a moment ago.
            Some(waiter) => {
                let _ = waiter.send(Ok(message));
                if id == Some(self.handshake.id) {
                    // What follows is of the new session, and must not be heard before there is one.
                    let _ = self.handshake.over.clone().changed().await;
                }
            }
            None => drop(connection.up.send(self.received(message)).await),
        }
    }

    fn received(&self, message: Vec<u8>) -> Received {
        let id = self.handshake.id;
        let waiting = self.lock();
        match waiting.as_ref().is_some_and(|of| of.contains_key(&id)) {
            true => Received::Meanwhile { id, message },
            false => Received::Message(message),
        }
    }

    async fn too_long(&self, id: Option<u64>, connection: &Connection) {
        let limit = connection.endpoint.max_message;
        match id.and_then(|id| self.waiter(id)) {
            Some(waiter) => drop(waiter.send(Err(End::TooLong))),
            None => drop(connection.up.send(Received::TooLong { id, limit }).await),
        }
    }

    /// Whoever waits hears of it.
    fn end(&self) {
        let waiting = self.lock().take();
        // Not under the lock: this wakes them.
        drop(waiting);
    }

    fn waiter(&self, id: u64) -> Option<Waiter> {
        self.lock().as_mut()?.remove(&id)
    }

    fn lock(&self) -> MutexGuard<'_, Option<HashMap<u64, Waiter>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A stream that is read, up to its end or until another session has taken its place.
struct Reading(Arc<Channel>);

impl Drop for Reading {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// A request that waits. One that is given up waits no more.
struct Waits<'a> {
    channel: &'a Channel,
    id: u64,
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.channel.waiter(self.id);
    }
}

/// Where messages go, as the first event says it. Credentials and answers go to no other origin than the
/// host's.
fn endpoint(base: &Url, data: &[u8]) -> Result<Url, String> {
    let named = std::str::from_utf8(data).ok();
    let joined = named.and_then(|named| base.join(named.trim()).ok());
    let Some(mut url) = joined else {
        return Err("the endpoint that the server names is no URL".to_owned());
    };
    if url.origin() != base.origin() {
        return Err(format!(
            "the server wants messages sent to {}, which is another origin",
            url.origin().ascii_serialization()
        ));
    }
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_fragment(None);
    Ok(url)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn messages_go_to_the_same_origin_alone() {
        let base = Url::parse("https://host.example/sse?key=1").unwrap();
        let endpoint = |named: &str| endpoint(&base, named.as_bytes()).map(String::from);
        for (named, expected) in [
            (
                "/messages/?session_id=1",
                "https://host.example/messages/?session_id=1",
            ),
            ("messages", "https://host.example/messages"),
            ("?sessionId=1", "https://host.example/sse?sessionId=1"),
            (" /m ", "https://host.example/m"),
            ("https://host.example:443/m#f", "https://host.example/m"),
            ("https://a:b@host.example/m", "https://host.example/m"),
        ] {
            assert_eq!(endpoint(named).unwrap(), expected, "{named}");
        }
        for elsewhere in [
            "http://host.example/m",
            "https://host.example:8443/m",
            "https://other.example/m",
            "//other.example/m",
            "https://host.example.other.example/m",
            "data:text/plain,x",
        ] {
            let error = endpoint(elsewhere).unwrap_err();
            assert!(error.contains("another origin"), "{error}");
        }
        assert!(super::endpoint(&base, b"\xff").is_err());
        assert!(endpoint("https://[").is_err());
    }
}
