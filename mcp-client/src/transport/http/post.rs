//! One request: a POST, and what comes back for it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Response, StatusCode, Url};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::authorize::{AuthorizeDyn, Challenge, MAX_CHALLENGES, Verdict};
use super::sse::{Events, TooLong};
use super::{headers, redirect};
use crate::transport::{Failure, Outgoing, Received};
use crate::wire::{self, Incoming, Reply};

/// How long a stream may take to end after the answer. A connection whose stream has ended serves the
/// next request; nobody waits for it.
const LINGER: Duration = Duration::from_secs(1);

/// How much of what is no answer goes into the error.
const QUOTED: usize = 200;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What all requests share.
#[derive(Debug)]
pub(super) struct Endpoint {
    pub(super) url: Url,
    pub(super) client: reqwest::Client,
    pub(super) headers: HeaderMap,
    pub(super) max_message: usize,
    pub(super) authorize: Option<Arc<dyn AuthorizeDyn>>,
}

/// What came back, and the stream it came from, if that goes on.
struct Answer {
    message: Vec<u8>,
    rest: Option<Response>,
}

/// Why there is no answer.
enum End {
    TooLong,
    Failed(Failure),
}

impl From<TooLong> for End {
    fn from(_: TooLong) -> Self {
        Self::TooLong
    }
}

impl Endpoint {
    /// Sends one request and hands up what comes back; the last of it ends the request.
    pub(super) async fn post(&self, id: u64, message: Outgoing, up: &mpsc::Sender<Received>) {
        let ended = unless_it_panics(self.exchange(message, up)).await;
        let panicked = || Err(unsent("the task of the request panicked".to_owned()));
        let (last, rest) = match ended.unwrap_or_else(panicked) {
            Ok(Answer { message, rest }) => (Received::Answer { id, message }, rest),
            Err(End::Failed(failure)) => (Received::Failed { id, failure }, None),
            Err(End::TooLong) => {
                let limit = self.max_message;
                (
                    Received::TooLong {
                        id: Some(id),
                        limit,
                    },
                    None,
                )
            }
        };
        // An error means that the connection was closed, and nobody listens.
        let _ = up.send(last).await;
        if let Some(mut rest) = rest {
            let _ = timeout(LINGER, async {
                while let Ok(Some(_)) = rest.chunk().await {}
            })
            .await;
        }
    }

    async fn exchange(
        &self,
        message: Outgoing,
        up: &mpsc::Sender<Received>,
    ) -> Result<Answer, End> {
        let response = self.respond(message).await?;
        let status = response.status();
        let media_type = media_type(&response);
        match media_type.as_deref() {
            Some("text/event-stream") => self.read_stream(response, up).await,
            _ if !status.is_success() => self.read_refusal(response).await,
            Some("application/json") => {
                let message = self.read_body(response).await?;
                let message = match message.strip_prefix(BYTE_ORDER_MARK) {
                    Some(rest) => rest.to_vec(),
                    None => message,
                };
                Ok(Answer {
                    message,
                    rest: None,
                })
            }
            Some(other) => Err(failed(
                status,
                format!(
                    "the server answered with {}, which is neither JSON nor an event stream",
                    quote(other.as_bytes())
                ),
            )),
            None => Err(failed(
                status,
                format!("the server answered {status} without a message"),
            )),
        }
    }

    /// The answer to a POST, once credentials are accepted and redirects are followed.
    async fn respond(&self, message: Outgoing) -> Result<Response, End> {
        let headers = headers::request(&self.headers, &message.metadata).map_err(unsent)?;
        let post = self.client.post(self.url.clone()).headers(headers);
        let post = post.body(message.text).build();
        let post = post.map_err(|e| unsent(chain(&e)))?;
        // Without the user and password, of which reqwest has made a header.
        let mut url = post.url().clone();
        let (mut hops, mut challenges) = (0, 0);
        loop {
            let Some(mut request) = post.try_clone() else {
                return Err(unsent("the request cannot be repeated".to_owned()));
            };
            *request.url_mut() = url.clone();
            if let Some(layer) = &self.authorize {
                let authorized = layer.authorize(url.as_str(), request.headers_mut()).await;
                authorized.map_err(|e| unsent(format!("no credentials: {e}")))?;
            }
            let response = self
                .client
                .execute(request)
                .await
                .map_err(|e| unsent(chain(&e)))?;
            if response.url() != &url {
                let reason = format!(
                    "the HTTP client followed a redirect to {}: build it with redirect::Policy::none()",
                    response.url()
                );
                return Err(failed(response.status(), reason));
            }
            let status = response.status();
            match status.as_u16() {
                300..=399 => {
                    hops += 1;
                    if hops > redirect::MAX_HOPS {
                        return Err(failed(status, "the server redirects in circles".to_owned()));
                    }
                    url = redirect::target(&url, status, response.headers())
                        .map_err(|reason| failed(status, reason))?;
                }
                code @ (401 | 403) => {
                    let challenge = Challenge::new(code, response.headers());
                    challenges += 1;
                    let verdict = match &self.authorize {
                        Some(layer) if challenges <= MAX_CHALLENGES => {
                            layer.challenged(challenge).await
                        }
                        _ => Verdict::GiveUp,
                    };
                    if verdict == Verdict::GiveUp {
                        return Err(self.unauthorized(response).await);
                    }
                }
                _ => return Ok(response),
            }
        }
    }

    async fn read_stream(
        &self,
        mut response: Response,
        up: &mpsc::Sender<Received>,
    ) -> Result<Answer, End> {
        let status = response.status();
        let mut events = Events::new(self.max_message);
        while let Some(chunk) = response.chunk().await.map_err(|e| broken(status, &e))? {
            let mut bytes = &chunk[..];
            while let Some(message) = events.next(&mut bytes)? {
                if matches!(wire::parse(&message), Ok(Incoming::Response { .. })) {
                    let rest = Some(response);
                    return Ok(Answer { message, rest });
                }
                let _ = up.send(Received::Message(message)).await;
            }
        }
        Err(failed(
            status,
            "the event stream ended before the answer".to_owned(),
        ))
    }

    async fn read_body(&self, mut response: Response) -> Result<Vec<u8>, End> {
        let status = response.status();
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|e| broken(status, &e))? {
            if body.len() + chunk.len() > self.max_message {
                return Err(End::TooLong);
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    /// A status that is no success: a JSON-RPC error is the answer, anything else is none.
    async fn read_refusal(&self, response: Response) -> Result<Answer, End> {
        let status = response.status();
        let message = self.read_body(response).await.unwrap_or_default();
        if error_in(&message).is_some() {
            return Ok(Answer {
                message,
                rest: None,
            });
        }
        Err(failed(status, refusal(status, &message)))
    }

    async fn unauthorized(&self, response: Response) -> End {
        let status = response.status();
        let challenge = Challenge::new(status.as_u16(), response.headers()).www_authenticate();
        let body = self.read_body(response).await.unwrap_or_default();
        End::Failed(Failure::Unauthorized {
            status: status.as_u16(),
            reason: match (error_in(&body), &challenge) {
                (Some(error), _) => error,
                (None, Some(challenge)) => quote(challenge.as_bytes()),
                (None, None) => refusal(status, &body),
            },
            challenge,
        })
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

/// The text of a JSON-RPC error.
fn error_in(body: &[u8]) -> Option<String> {
    match wire::parse(body) {
        Ok(Incoming::Response {
            reply: Reply::Error(error),
            ..
        }) => Some(error.to_string()),
        _ => None,
    }
}

fn refusal(status: StatusCode, body: &[u8]) -> String {
    match body {
        [] => format!("the server answered {status}"),
        body => format!("the server answered {status}: {}", quote(body)),
    }
}

/// The media type in lower case, without its parameters.
fn media_type(response: &Response) -> Option<String> {
    let value = response.headers().get(CONTENT_TYPE)?;
    let value = String::from_utf8_lossy(value.as_bytes());
    let media_type = value.split(';').next()?.trim().to_ascii_lowercase();
    (!media_type.is_empty()).then_some(media_type)
}

/// The beginning of what a server wrote, on one line.
fn quote(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * QUOTED)]);
    let words: Vec<_> = text.split_whitespace().collect();
    let text = words.join(" ");
    let visible = text.chars().filter(|c| !c.is_control());
    visible.take(QUOTED).collect()
}

fn failed(status: StatusCode, reason: String) -> End {
    End::Failed(Failure::Failed {
        status: Some(status.as_u16()),
        reason,
    })
}

fn unsent(reason: String) -> End {
    End::Failed(Failure::Failed {
        status: None,
        reason,
    })
}

fn broken(status: StatusCode, error: &reqwest::Error) -> End {
    failed(
        status,
        format!(
            "the connection broke off before the answer: {}",
            chain(error)
        ),
    )
}

/// An error with its causes, which say what happened; the URL, which may hold secrets, does not
/// appear.
pub(super) fn chain(error: &reqwest::Error) -> String {
    let mut text = match error.is_connect() {
        true => "could not connect".to_owned(),
        false => String::new(),
    };
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let said = error.to_string();
        if !text.contains(&said) {
            text = match text.as_str() {
                "" => said,
                before => format!("{before}: {said}"),
            };
        }
        cause = error.source();
    }
    match text.as_str() {
        "" => "the request could not be sent".to_owned(),
        _ => text,
    }
}
