//! The endpoint for clients that have sessions: POST, GET and DELETE.
//!
//! Specification: 2025-11-25, basic/transports, Streamable HTTP.

use std::{future, sync::Arc, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode, request::Parts};
use http_body::Body;

#[cfg(feature = "http-sse")]
use super::sse;
use super::{
    body::Body as StreamBody,
    post::{Part, Post, status},
    route::{Route, SESSION, Seen, concerns, named, route},
    session::Session,
    sessions::{InUse, Sessions},
    store::{Full, Limits, Use},
    streams::{Lost, UNRELATED},
};
use crate::{
    dispatch::Accepted,
    legacy::batch::{self, Member},
    running::Answered,
    transport::http::{Endpoint, Forms, HttpBody, Refusal},
};

/// So many requests of one session may be under way, and so many messages stand in a batch: calls go on without their
/// connections, so nothing else bounds them.
const MAX_REQUESTS: usize = 256;

/// So long may the message be that begins a session: a part of it is kept.
const MAX_HANDSHAKE: usize = 64 * 1024;

/// What an endpoint keeps for clients that have sessions.
#[derive(Clone)]
pub(crate) struct Earlier {
    pub(super) sessions: Arc<Sessions>,
    /// How long a connection lasts whose client will come again.
    pub(super) leave_after: Option<Duration>,
}

impl Default for Earlier {
    fn default() -> Self {
        let limits = Limits {
            sessions: 10_000,
            idle: Duration::from_secs(30 * 60),
        };
        Self {
            sessions: Sessions::new(limits),
            leave_after: None,
        }
    }
}

impl Earlier {
    /// Whether a request is not of today, or may not be: one look at one header.
    pub(crate) fn concerns(&self, headers: &HeaderMap) -> bool {
        concerns(headers) && self.sessions.limits().sessions > 0
    }

    /// Ends all sessions, and what is under way in them, but for calls that have claimed something.
    pub(crate) fn end(&self) {
        self.sessions.end_all();
    }
}

pub(super) type Responded = Result<Response<HttpBody>, Refusal>;

impl Endpoint {
    /// Responds to a request whose header does not name today's version.
    ///
    /// # Errors
    ///
    /// Why it is refused.
    pub(crate) async fn answer_earlier<B: Body>(&self, parts: Parts, body: B) -> Responded {
        #[cfg(feature = "http-sse")]
        if let Some(request) = sse::Request::of(&parts) {
            return self.answer_sse(request, parts, body).await;
        }
        match parts.method {
            Method::GET => self.listen(&parts),
            Method::DELETE => self.end_session(&parts),
            // Other methods than POST are refused there.
            _ => {
                let (forms, message) = self.receive(&parts, body).await?;
                self.take_message(parts, forms, message).await
            }
        }
    }

    async fn take_message(&self, parts: Parts, forms: Forms, message: Bytes) -> Responded {
        let seen = Seen::of(&message);
        let id = match route(&parts.headers, &seen)? {
            Route::Today => return self.answer_message(parts, forms, message).await,
            Route::Handshake => return self.begin_session(parts, forms, &message).await,
            Route::Session(id) => id,
        };
        let used = self.session(id, &parts, Use::Request)?;
        let session = Arc::clone(used.session());
        let messages = messages(&session, &message)?;
        let post = Post::new(self, &session, parts, forms);
        match messages {
            None => post.respond(&message, used).await,
            Some(messages) => Ok(post.respond_to_batch(messages, used).await),
        }
    }

    /// Shakes hands; the response names the new session.
    async fn begin_session(&self, parts: Parts, forms: Forms, message: &[u8]) -> Responded {
        if message.len() > MAX_HANDSHAKE {
            return Err(Refusal::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                format!("an `initialize` has at most {MAX_HANDSHAKE} bytes"),
            ));
        }
        let session = self.new_session(&parts)?;
        let post = Post::apart(self, &session, parts, forms);
        let (Accepted::Answered(is), out) = post.accept(message).await else {
            return Ok(HttpBody::empty(StatusCode::ACCEPTED));
        };
        let mut response = if post.always_streams() {
            HttpBody::events(Vec::new(), &out)
        } else {
            HttpBody::json(status(is), out)
        };
        if is == Answered::Result {
            let id = HeaderValue::try_from(&**session.id());
            self.hold(&session)?;
            let id = id.expect("base64url stands in headers");
            response.headers_mut().insert(&SESSION, id);
        }
        Ok(response)
    }

    pub(super) fn new_session(&self, parts: &Parts) -> Result<Arc<Session>, Refusal> {
        let principal = self.principals.of(&parts.extensions);
        let kept = &self.earlier.sessions.kept;
        let session = Session::new(principal, kept).map_err(|error| {
            tracing::error!(%error, "no session can be made");
            let status = StatusCode::INTERNAL_SERVER_ERROR;
            Refusal::new(status, "no session can be made")
        })?;
        Ok(Arc::new(session))
    }

    /// Takes a session in.
    pub(super) fn hold(&self, session: &Arc<Session>) -> Result<(), Refusal> {
        let shutdown = || self.server.shutdown();
        self.earlier.sessions.insert(session, shutdown).map_err(|Full| {
            Refusal::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "there are as many sessions as `max_sessions` allows, and all have requests under \
                 way; try again later",
            )
        })
    }

    /// A connection for what belongs to no request, or for a stream whose connection broke.
    fn listen(&self, parts: &Parts) -> Responded {
        let id = named(&parts.headers)?;
        takes_events(&parts.headers)?;
        let used = self.session(id, parts, Use::Listening)?;
        let session = Arc::clone(used.session());
        let leaves = self.earlier.leave_after.filter(|_| session.polls());
        let reading = match last_event(&parts.headers) {
            None => session.streams().read(UNRELATED, leaves.is_some()),
            Some(id) => {
                let resumed = session.streams().resume(id);
                resumed.map_err(|lost| lost_events(lost, id))?
            }
        };
        let is_endless = reading.number() == UNRELATED;
        let shutdown = self.server.shutdown();
        let end = async move {
            if is_endless {
                shutdown.begun().await;
            } else {
                future::pending().await
            }
        };
        let body = StreamBody::new(reading, self.keep_alive);
        let body = body.leaving_after(leaves).listening(used, end);
        Ok(HttpBody::earlier(body))
    }

    fn end_session(&self, parts: &Parts) -> Responded {
        let id = named(&parts.headers)?;
        let principal = self.principals.of(&parts.extensions);
        if !self.earlier.sessions.end(id, &principal) {
            return Err(no_such_session());
        }
        Ok(HttpBody::empty(StatusCode::NO_CONTENT))
    }

    pub(super) fn session(&self, id: &str, parts: &Parts, what: Use) -> Result<InUse, Refusal> {
        let principal = self.principals.of(&parts.extensions);
        let session = self.earlier.sessions.begin(id, &principal, what);
        session.ok_or_else(no_such_session)
    }
}

/// The messages of a batch, if it is one.
///
/// # Errors
///
/// 400 for none, 413 for too many, 429 where no further request may begin and one is among them.
pub(super) fn messages<'m>(
    session: &Session,
    message: &'m [u8],
) -> Result<Option<Vec<Part<'m>>>, Refusal> {
    let batch = session.revision();
    let batch = batch.and_then(|revision| batch::split(revision, message));
    if batch.as_ref().is_some_and(Vec::is_empty) {
        return Err(Refusal::new(StatusCode::BAD_REQUEST, batch::EMPTY));
    }
    let messages: Option<Vec<Part<'m>>> = batch.map(|members| {
        let members = members.into_iter().map(|member| match member {
            Member::Message(message) => Ok(message.as_bytes()),
            Member::Refused(answer) => Err(answer),
        });
        members.collect()
    });
    let is_quiet = match &messages {
        None => Seen::of(message).is_quiet,
        Some(messages) => messages.iter().flatten().all(|m| Seen::of(m).is_quiet),
    };
    if !is_quiet && session.requests() >= MAX_REQUESTS {
        return Err(Refusal::new(
            StatusCode::TOO_MANY_REQUESTS,
            format!("{MAX_REQUESTS} requests of this session are under way already"),
        ));
    }
    if messages
        .as_ref()
        .is_some_and(|messages| messages.len() > MAX_REQUESTS)
    {
        return Err(Refusal::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("the batch has more than {MAX_REQUESTS} messages"),
        ));
    }
    Ok(messages)
}

/// Whether a GET takes what it is answered with.
pub(super) fn takes_events(headers: &HeaderMap) -> Result<(), Refusal> {
    if Forms::accepted(headers).events {
        return Ok(());
    }
    Err(Refusal::new(
        StatusCode::NOT_ACCEPTABLE,
        "a GET is answered with `text/event-stream`, and the header `Accept` has it not",
    ))
}

pub(super) fn no_such_session() -> Refusal {
    Refusal::new(
        StatusCode::NOT_FOUND,
        "there is no session of this id: it was ended, or idle for too long; send `initialize` again",
    )
}

/// The id of the last event that the client has seen.
fn last_event(headers: &HeaderMap) -> Option<&str> {
    let id = headers.get("last-event-id")?.to_str().unwrap_or("?");
    // An empty one says that there was none.
    (!id.is_empty()).then_some(id)
}

fn lost_events(lost: Lost, id: &str) -> Refusal {
    let id: String = id.chars().take(100).collect();
    let what = match lost {
        Lost::Unknown => format!(
            "no stream of this session has an event `{id}`, or the stream ended a while ago"
        ),
        Lost::Evicted => format!("events that came after `{id}` are gone, for there were too many"),
    };
    let text = format!("{what}; a GET without `Last-Event-ID` gives what is yet to come");
    Refusal::new(StatusCode::BAD_REQUEST, text)
}
