//! One HTTP request of whatever method: credentials, redirects, and what its answer is read as.

use std::sync::Arc;

use mcp_core::rpc::code;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Method, Response, StatusCode, Url};

use super::authorize::{AuthorizeDyn, Challenge, MAX_CHALLENGES, Verdict};
use super::redirect;
use super::sse::TooLong;
use crate::transport::Failure;
use crate::wire::{self, Incoming, Reply};

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

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum End {
    TooLong,
    Failed(Failure),
}

impl From<TooLong> for End {
    fn from(_: TooLong) -> Self {
        Self::TooLong
    }
}

impl Endpoint {
    /// The answer to a request, once credentials are accepted and redirects are followed.
    pub(super) async fn send(
        &self,
        method: Method,
        url: &Url,
        headers: HeaderMap,
        body: String,
    ) -> Result<Response, End> {
        let sent = self.send_unless(method, url, headers, body, |_| false);
        sent.await
    }

    /// The same, but nobody is asked for credentials where the refusal wants something else.
    pub(super) async fn send_unless(
        &self,
        method: Method,
        url: &Url,
        headers: HeaderMap,
        body: String,
        wants_else: fn(&End) -> bool,
    ) -> Result<Response, End> {
        let mut request = self.client.request(method, url.clone()).headers(headers);
        if !body.is_empty() {
            request = request.body(body);
        }
        let wanted = request.build().map_err(|e| unsent(chain(&e)))?;
        // Without the user and password, of which reqwest has made a header.
        let mut url = wanted.url().clone();
        let (mut hops, mut challenges) = (0, 0);
        loop {
            let Some(mut request) = wanted.try_clone() else {
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
                    let headers = response.headers().clone();
                    let refused = self.unauthorized(response).await;
                    challenges += 1;
                    let verdict = match &self.authorize {
                        Some(layer) if challenges <= MAX_CHALLENGES && !wants_else(&refused) => {
                            layer.challenged(Challenge::new(code, &headers)).await
                        }
                        _ => Verdict::GiveUp,
                    };
                    if verdict == Verdict::GiveUp {
                        return Err(refused);
                    }
                }
                _ => return Ok(response),
            }
        }
    }

    /// An answer that is no stream of events: one message, or why there is none.
    pub(super) async fn read_message(&self, response: Response) -> Result<Vec<u8>, End> {
        let status = response.status();
        match media_type(&response).as_deref() {
            _ if !status.is_success() => self.read_refusal(response).await,
            Some("application/json") => {
                let message = self.read_body(response).await?;
                Ok(match message.strip_prefix(BYTE_ORDER_MARK) {
                    Some(rest) => rest.to_vec(),
                    None => message,
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

    /// A status that is no success: a JSON-RPC error is the answer, anything else is none. Nor is one that says in
    /// JSON-RPC that nothing is at this URL: no request has reached a server there.
    async fn read_refusal(&self, response: Response) -> Result<Vec<u8>, End> {
        let status = response.status();
        let body = self.read_body(response).await.unwrap_or_default();
        match wire::parse(&body) {
            Ok(Incoming::Response {
                id: None,
                reply: Reply::Error(error),
            }) if status == StatusCode::NOT_FOUND && error.code == code::INVALID_REQUEST => {
                Err(failed(status, refusal(status, error.message.as_bytes())))
            }
            Ok(Incoming::Response {
                reply: Reply::Error(_),
                ..
            }) => Ok(body),
            _ => Err(failed(status, refusal(status, &body))),
        }
    }

    pub(super) async fn read_body(&self, mut response: Response) -> Result<Vec<u8>, End> {
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

/// Whether an answer is a stream of events.
pub(super) fn is_stream(response: &Response) -> bool {
    media_type(response).as_deref() == Some("text/event-stream")
}

/// The text of a JSON-RPC error.
pub(super) fn error_in(body: &[u8]) -> Option<String> {
    match wire::parse(body) {
        Ok(Incoming::Response {
            reply: Reply::Error(error),
            ..
        }) => Some(error.to_string()),
        _ => None,
    }
}

/// What is said of a body that is no JSON-RPC error.
pub(super) fn refusal(status: StatusCode, body: &[u8]) -> String {
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

pub(super) fn failed(status: StatusCode, reason: String) -> End {
    End::Failed(Failure::Failed {
        status: Some(status.as_u16()),
        reason,
    })
}

pub(super) fn unsent(reason: String) -> End {
    End::Failed(Failure::Failed {
        status: None,
        reason,
    })
}

pub(super) fn broken(status: StatusCode, error: &reqwest::Error) -> End {
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
