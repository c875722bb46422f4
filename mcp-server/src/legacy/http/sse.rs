//! The transport of revision 2024-11-05, HTTP with SSE: one stream for everything that the server says, and a POST for each
//! message of the client's.
//!
//! Motivation: such a stream is a connection like that of standard input and output, with the client's half of it in
//! POSTs. So it is a session that lasts as long as its stream is read, and all that is answered goes onto that.
//!
//! Specification: 2024-11-05, basic/transports, HTTP with SSE.

use std::sync::Arc;

use http::{Method, StatusCode, header, request::Parts};
use http_body::Body;

use super::{
    body::Body as StreamBody,
    endpoint::{Responded, messages, takes_events},
    post::Post,
    route::{SESSION, VERSION, check_version},
    store::Use,
    streams::UNRELATED,
};
use crate::transport::http::{Endpoint, HttpBody, Refusal};

/// What the query of a POST calls the session, before its id.
const QUERY: &str = "sessionId=";

/// A request of this transport.
pub(super) enum Request {
    Open,
    /// A message for the session of this id.
    Message(Box<str>),
}

impl Request {
    /// What a request is, if it is one of this transport: a GET that names neither a session nor a version, or a POST whose
    /// query names the session.
    pub(super) fn of(parts: &Parts) -> Option<Self> {
        let is_named = parts.headers.contains_key(&SESSION);
        match parts.method {
            Method::GET if !is_named && !parts.headers.contains_key(&VERSION) => Some(Self::Open),
            Method::POST if !is_named => {
                let mut pairs = parts.uri.query()?.split('&');
                let id = pairs.find_map(|pair| pair.strip_prefix(QUERY))?;
                Some(Self::Message(id.into()))
            }
            _ => None,
        }
    }
}

impl Endpoint {
    pub(super) async fn answer_sse<B: Body>(
        &self,
        request: Request,
        parts: Parts,
        body: B,
    ) -> Responded {
        match request {
            Request::Open => self.open_stream(&parts),
            Request::Message(id) => self.take_for_stream(&id, parts, body).await,
        }
    }

    /// Opens a stream, whose first event says where the client's messages go.
    fn open_stream(&self, parts: &Parts) -> Responded {
        takes_events(&parts.headers)?;
        let session = self.new_session(parts)?;
        // By itself, an endpoint knows its path. Within an application it may not, and then the client takes the one that
        // it has.
        let path = if self.is_alone { parts.uri.path() } else { "" };
        let id = session.id();
        let endpoint = format!("event: endpoint\ndata: {path}?{QUERY}{id}\n\n");
        let reading = session.streams().read_from(&endpoint);
        self.hold(&session)?;
        let used = self.session(id, parts, Use::Listening)?;
        let shutdown = self.server.shutdown();
        let end = async move { shutdown.begun().await };
        let body = StreamBody::new(reading, self.keep_alive).listening(used.that_ends_it(), end);
        Ok(HttpBody::earlier(body))
    }

    /// Takes a message; what is answered goes onto the session's stream.
    async fn take_for_stream<B: Body>(&self, id: &str, mut parts: Parts, body: B) -> Responded {
        check_version(&parts.headers)?;
        // The response to a POST says nothing, so it does not matter what is accepted for it.
        parts.headers.remove(header::ACCEPT);
        let (forms, message) = self.receive(&parts, body).await?;
        let used = self.session(id, &parts, Use::Request)?;
        let session = Arc::clone(used.session());
        let messages = messages(&session, &message)?;
        if session.streams().is_full(UNRELATED) {
            return Err(Refusal::new(
                StatusCode::TOO_MANY_REQUESTS,
                "the session's stream is not read; read it before more is sent",
            ));
        }
        let post = Post::apart(self, &session, parts, forms);
        let messages = messages.unwrap_or_else(|| vec![Ok(&message)]);
        Ok(post.answer_apart(messages, used).await)
    }
}
