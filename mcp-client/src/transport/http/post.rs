//! One request: a POST, and what comes back for it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use reqwest::Method;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::endpoint::{End, Endpoint, is_stream, unsent};
use super::headers;
use super::stream::Stream;
use crate::transport::{Outgoing, Received};
use crate::wire::{self, Incoming};

/// How long a stream may take to end after the answer. A connection whose stream has ended serves the
/// next request; nobody waits for it.
const LINGER: Duration = Duration::from_secs(1);

/// What came back, and the stream it came from, if that goes on.
pub(super) struct Answer {
    pub(super) message: Vec<u8>,
    pub(super) rest: Option<Stream>,
}

impl Endpoint {
    /// Sends one request and hands up what comes back; the last of it ends the request.
    pub(super) async fn post(&self, id: u64, message: Outgoing, up: &mpsc::Sender<Received>) {
        self.finish(id, self.exchange(message, up), up).await;
    }

    /// Hands up how a request ends.
    pub(super) async fn finish(
        &self,
        id: u64,
        exchange: impl Future<Output = Result<Answer, End>>,
        up: &mpsc::Sender<Received>,
    ) {
        let panicked = || Err(unsent("the task of the request panicked".to_owned()));
        let ended = unless_it_panics(exchange).await.unwrap_or_else(panicked);
        let (last, rest) = match ended {
            Ok(Answer { message, rest }) => (Received::Answer { id, message }, rest),
            Err(End::Failed(failure)) => (Received::Failed { id, failure }, None),
            Err(End::TooLong) => {
                let (id, limit) = (Some(id), self.max_message);
                (Received::TooLong { id, limit }, None)
            }
        };
        // An error means that the connection was closed, and nobody listens.
        let _ = up.send(last).await;
        if let Some(rest) = rest {
            let _ = timeout(LINGER, rest.drain()).await;
        }
    }

    async fn exchange(
        &self,
        message: Outgoing,
        up: &mpsc::Sender<Received>,
    ) -> Result<Answer, End> {
        let headers = headers::request(&self.headers, &message.metadata).map_err(unsent)?;
        let sent = self.send(Method::POST, &self.url, headers, message.text);
        let response = sent.await?;
        if is_stream(&response) {
            return read_stream(Stream::new(response, self.max_message), up).await;
        }
        let message = self.read_message(response).await?;
        Ok(Answer {
            message,
            rest: None,
        })
    }
}

/// Hands up what comes before the answer.
async fn read_stream(mut stream: Stream, up: &mpsc::Sender<Received>) -> Result<Answer, End> {
    loop {
        let Some(message) = stream.next().await??.into_message() else {
            continue;
        };
        if matches!(wire::parse(&message), Ok(Incoming::Response { .. })) {
            let rest = Some(stream);
            return Ok(Answer { message, rest });
        }
        let _ = up.send(Received::Message(message)).await;
    }
}

/// The output of a future; `None` if it panics, as the host's [`Authorize`](super::Authorize) may: whoever
/// waits for the answer must hear of it.
async fn unless_it_panics<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    std::future::poll_fn(|context| {
        // After a panic it is dropped and not looked at again.
        let polled = catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context)));
        polled.map_or(Poll::Ready(None), |polled| polled.map(Some))
    })
    .await
}
