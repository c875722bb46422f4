//! One POST of a client that has a session: its messages, and the response to them.
//!
//! What is answered at once is JSON. A call that waits goes on as a task of its own, and its response is a stream, which
//! is read by this connection or, if that breaks, by another one.
//!
//! Specification: 2025-11-25, basic/transports, Sending Messages to the Server.

use std::{future::poll_fn, sync::Arc, task::Poll};

use http::{Response as HttpResponse, StatusCode, request::Parts};
use mcp_core::rpc::{RpcError, code, write_error};
use tokio::sync::oneshot;

use super::{
    body::Body, endpoint::no_such_session, outgoing::Response, session::Session, sessions::InUse,
    streams::Unrelated,
};
use crate::{
    background,
    dispatch::Accepted,
    legacy::batch::join,
    peer::Peer,
    reporter::Outgoing,
    running::{Answer, Answered, Running},
    transport::http::{Call, Endpoint, Forms, HttpBody, Refusal},
};

/// One POST on its way.
pub(super) struct Post<'e> {
    endpoint: &'e Endpoint,
    session: Arc<Session>,
    forms: Forms,
    response: Arc<Response>,
    peer: Peer,
    /// There for as long as the request waits for its response.
    request: Arc<()>,
}

/// What its messages became.
#[derive(Default)]
struct Taken {
    /// Answers that are there at once.
    answers: Vec<Vec<u8>>,
    status: StatusCode,
    /// Answers of calls that wait, for a client that takes no stream.
    waiting: Vec<oneshot::Receiver<Option<Answer>>>,
    ending: Option<Arc<Ending>>,
}

/// A message, or the answer to what is none.
pub(super) type Part<'m> = Result<&'m [u8], Vec<u8>>;

impl<'e> Post<'e> {
    /// One whose response is what its messages lead to.
    pub(super) fn new(
        endpoint: &'e Endpoint,
        session: &Arc<Session>,
        parts: Parts,
        forms: Forms,
    ) -> Self {
        let response = Arc::new(Response::new(session, forms.events));
        let outgoing = response.clone();
        Self::sending(endpoint, session, parts, forms, response, outgoing)
    }

    /// One whose messages lead to something on the stream that belongs to no request.
    pub(super) fn apart(
        endpoint: &'e Endpoint,
        session: &Arc<Session>,
        parts: Parts,
        forms: Forms,
    ) -> Self {
        let response = Arc::new(Response::apart(session));
        // The session may keep it, so it does not keep the session.
        let outgoing = Arc::new(Unrelated(Arc::clone(session.streams())));
        Self::sending(endpoint, session, parts, forms, response, outgoing)
    }

    fn sending(
        endpoint: &'e Endpoint,
        session: &Arc<Session>,
        parts: Parts,
        forms: Forms,
        response: Arc<Response>,
        outgoing: Arc<dyn Outgoing>,
    ) -> Self {
        Self {
            endpoint,
            session: Arc::clone(session),
            forms,
            response,
            request: Arc::new(()),
            peer: Peer {
                principal: endpoint.principals.of(&parts.extensions),
                outgoing,
                extensions: (!parts.extensions.is_empty()).then(|| Arc::new(parts.extensions)),
            },
        }
    }

    /// Hands a message to the server, which polls the call once.
    pub(super) async fn accept(&self, message: &[u8]) -> (Accepted, Vec<u8>) {
        let server = &self.endpoint.server;
        let mut out = Vec::with_capacity(512);
        let accepted = poll_fn(|cx| {
            Poll::Ready(server.accept(message, &self.peer, &*self.session, cx, &mut out))
        });
        (accepted.await, out)
    }

    /// Whether answers are streams, although they are there at once.
    pub(super) fn always_streams(&self) -> bool {
        !self.forms.json || self.forms.events && self.endpoint.always_stream
    }

    /// Responds to a message.
    ///
    /// # Errors
    ///
    /// Where a call was given up, and its client takes no stream that could end without an answer; or where the session
    /// has ended meanwhile.
    pub(super) async fn respond(
        self,
        message: &[u8],
        session: InUse,
    ) -> Result<HttpResponse<HttpBody>, Refusal> {
        let taken = self.take_all(vec![Ok(message)], session).await;
        // Without a session, it was not handled as one of its messages.
        if self.session.revision().is_none() && taken.waiting.is_empty() {
            return Err(no_such_session());
        }
        if let Some(response) = self.at_once(&taken) {
            return Ok(response);
        }
        let mut answers = self.wait(taken).await;
        match answers.pop() {
            Some((status, answer)) => Ok(HttpBody::json(status, answer)),
            None => Err(Refusal::new(
                StatusCode::CONFLICT,
                "the call was cancelled, or its session has ended",
            )),
        }
    }

    /// Responds to a batch: with an array, or with a stream of single answers.
    ///
    /// Specification: 2025-03-26, basic/transports, Sending Messages to the Server.
    pub(super) async fn respond_to_batch(
        self,
        messages: Vec<Part<'_>>,
        session: InUse,
    ) -> HttpResponse<HttpBody> {
        let taken = self.take_all(messages, session).await;
        if let Some(response) = self.at_once(&taken) {
            return response;
        }
        let answers = self.wait(taken).await;
        match join(answers.into_iter().map(|(_, answer)| answer)) {
            Some(array) => HttpBody::json(StatusCode::OK, array),
            None => HttpBody::empty(StatusCode::ACCEPTED),
        }
    }

    /// Answers messages on the stream that belongs to no request; a single one that is no message has no place there.
    #[cfg(feature = "http-sse")]
    pub(super) async fn answer_apart(
        self,
        messages: Vec<Part<'_>>,
        session: InUse,
    ) -> HttpResponse<HttpBody> {
        let is_single = messages.len() == 1;
        let taken = self.take_all(messages, session).await;
        for answer in taken.answers {
            if is_single && taken.status != StatusCode::OK {
                return HttpBody::json(taken.status, answer);
            }
            self.response.answer(&answer);
        }
        HttpBody::empty(StatusCode::ACCEPTED)
    }

    async fn take_all(&self, messages: Vec<Part<'_>>, session: InUse) -> Taken {
        let mut taken = Taken::default();
        let ending = Arc::new(Ending(Arc::clone(&self.response)));
        let session = Arc::new(session);
        for message in messages {
            match message {
                Ok(message) => self.take(message, &session, &ending, &mut taken).await,
                Err(answer) => taken.answers.push(answer),
            }
        }
        // The stream ends with its last call, and not before it is read.
        taken.ending = Some(ending);
        taken
    }

    async fn take(
        &self,
        message: &[u8],
        session: &Arc<InUse>,
        ending: &Arc<Ending>,
        taken: &mut Taken,
    ) {
        let (accepted, out) = self.accept(message).await;
        match accepted {
            // A response to a question that nobody waits for any more is no fault of the client's.
            Accepted::Noted | Accepted::Unasked => {}
            Accepted::Cancel(id) => self.session.cancel(&id),
            Accepted::Answered(is) => {
                taken.status = status(is);
                taken.answers.push(out);
            }
            Accepted::Running(running) => {
                match self.go_on(
                    running,
                    message.len(),
                    Arc::clone(session),
                    Arc::clone(ending),
                ) {
                    Some(answer) => taken.waiting.push(answer),
                    None => {
                        let mut out = Vec::new();
                        let error = "a request with this id is still being answered";
                        write_error(&mut out, None, &RpcError::invalid_request(error));
                        taken.status = StatusCode::BAD_REQUEST;
                        taken.answers.push(out);
                    }
                }
            }
        }
    }

    /// Lets a call go on as a task, whatever becomes of its connection; none where another one has its id.
    fn go_on(
        &self,
        running: Running,
        bytes: usize,
        session: Arc<InUse>,
        ending: Arc<Ending>,
    ) -> Option<oneshot::Receiver<Option<Answer>>> {
        let (id, open) = (running.id(), running.open());
        let mut call = Call::new(running, &self.endpoint.calls);
        let under_way = self.session.note(id, open.clone())?;
        let calls = &self.endpoint.earlier.sessions.calls;
        let noted = calls.note(open, bytes, &self.response, &self.request);
        let streamed = self.forms.events;
        let (answered, waiting) = oneshot::channel();
        background::task(Box::pin(async move {
            let answer = poll_fn(|cx| call.poll(cx)).await;
            // The id is free before the client can know that.
            drop((under_way, noted));
            match answer {
                Some(answer) if streamed => ending.0.answer(&answer.message),
                answer => drop(answered.send(answer)),
            }
            drop((ending, session));
        }));
        Some(waiting)
    }

    /// The response that there is already, or a stream; none where answers must be waited for.
    fn at_once(&self, taken: &Taken) -> Option<HttpResponse<HttpBody>> {
        if taken.answers.is_empty() && taken.waiting.is_empty() {
            return Some(HttpBody::empty(StatusCode::ACCEPTED));
        }
        let has_events = !taken.waiting.is_empty() || self.response.has_begun();
        let streams = self.always_streams() || self.forms.events && has_events;
        if !streams {
            return None;
        }
        for answer in &taken.answers {
            self.response.answer(answer);
        }
        let leaves = self
            .endpoint
            .earlier
            .leave_after
            .filter(|_| self.session.polls());
        let body = Body::new(self.response.read(), self.endpoint.keep_alive);
        Some(HttpBody::earlier(body.leaving_after(leaves)))
    }

    /// All answers, without those of calls that were given up.
    async fn wait(&self, taken: Taken) -> Vec<(StatusCode, Vec<u8>)> {
        let answers = taken.answers.into_iter();
        let mut answers: Vec<_> = answers.map(|answer| (taken.status, answer)).collect();
        for waiting in taken.waiting {
            if let Ok(Some(answer)) = waiting.await {
                answers.push((status(answer.is), answer.message));
            }
        }
        answers
    }
}

/// Ends a stream when the last of its calls has ended.
struct Ending(Arc<Response>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// The status of an answer. What has an id is the message's affair alone: 404 would mean that the session is over.
pub(super) fn status(answer: Answered) -> StatusCode {
    match answer {
        Answered::Error(code::PARSE_ERROR | code::INVALID_REQUEST) => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    }
}
