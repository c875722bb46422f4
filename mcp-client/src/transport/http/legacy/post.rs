//! One request of a handshake or a session: a POST, and what comes back for it, over several connections if
//! it must be.

use std::sync::Arc;

use mcp_core::Revision;
use mcp_core::rpc::code;
use reqwest::header::HeaderMap;
use reqwest::{Method, Response, StatusCode, Url};

use super::http_sse::Channel;
use super::lost::{self, error_in, session_ended};
use super::resume::{Cursor, MAX_FRUITLESS, Refused};
use super::session::Session;
use super::{Connection, Handshake, reason};
use crate::excerpt::Excerpt;
use crate::legacy::batch;
use crate::transport::http::endpoint::{End, failed, is_stream};
use crate::transport::http::post::Answer;
use crate::transport::http::stream::Stream;
use crate::transport::{Failure, Outgoing};
use crate::wire::{self, Incoming, Reply};

/// The revision before Streamable HTTP.
const OLDEST: &str = Revision::V2024_11_05.as_str();

impl Connection {
    /// Sends `initialize`, which begins a session. A server that does not take it here may have the transport
    /// of 2024-11-05; one that is to speak that revision is asked for it first.
    ///
    /// Specification: basic/transports/streamable-http, HTTP+SSE Transport.
    pub(super) async fn handshake(
        self: &Arc<Self>,
        handshake: Handshake,
        message: Outgoing,
    ) -> Result<Answer, End> {
        let number = handshake.number;
        let answered = self.begin_by(handshake, message).await;
        if !is_result(&answered) {
            self.open_nothing(number);
        }
        answered
    }

    async fn begin_by(
        self: &Arc<Self>,
        handshake: Handshake,
        message: Outgoing,
    ) -> Result<Answer, End> {
        let (id, number) = (handshake.id, handshake.number);
        let mut channel = match message.metadata.version {
            Some(OLDEST) => self.find_channel(&handshake).await,
            _ => None,
        };
        if channel.is_none() {
            let session = Session {
                number,
                ..Session::default()
            };
            let response = self.post(&session, message.clone()).await?;
            let status = response.status();
            let begun = match status.is_success() {
                true => Session {
                    number,
                    ..Session::begun_by(status, response.headers())?
                },
                false => session,
            };
            self.open(&begun);
            let answered = self.answer(id, response, &begun).await;
            if may_be_of_old(status, &answered) {
                channel = self.find_channel(&handshake).await;
            }
            if channel.is_none() {
                if is_result(&answered) {
                    self.establish(begun);
                }
                return answered;
            }
        }
        let session = Session {
            number,
            channel,
            ..Session::default()
        };
        self.open(&session);
        let answered = self.ask_in(&session, id, message).await;
        if is_result(&answered) {
            self.establish(session.clone());
        }
        answered.map_err(|end| session.redact(end))
    }

    /// Opens the stream of the old transport for this handshake, if there is one.
    async fn find_channel(self: &Arc<Self>, handshake: &Handshake) -> Option<Arc<Channel>> {
        match self.open_channel(handshake).await {
            Ok(channel) => Some(channel),
            Err(reason) => {
                tracing::debug!(target: "mcp_client", reason = %Excerpt(reason), "the server does not have the transport of 2024-11-05");
                None
            }
        }
    }

    /// Sends a request within the session.
    pub(super) async fn ask(&self, id: u64, message: Outgoing) -> Result<Answer, End> {
        let session = self.session();
        let answered = self.ask_in(&session, id, message).await;
        answered.map_err(|end| session.redact(end))
    }

    async fn ask_in(&self, session: &Session, id: u64, message: Outgoing) -> Result<Answer, End> {
        if let Some(channel) = &session.channel {
            return channel.ask(self, id, message).await;
        }
        let mut elsewhere = self.elsewhere.wait(id);
        tokio::select! {
            biased;
            answered = self.ask_by_post(session, id, message) => answered,
            message = elsewhere.answer() => Ok(Answer { message, rest: None }),
        }
    }

    async fn ask_by_post(
        &self,
        session: &Session,
        id: u64,
        message: Outgoing,
    ) -> Result<Answer, End> {
        let response = self.post(session, message).await?;
        let status = response.status();
        if session.id.is_none() || !matches!(status.as_u16(), 400 | 404) {
            return self.answer(id, response, session).await;
        }
        let refused = self.endpoint.read_message(response).await;
        match lost::why(id, status, &refused) {
            Some(reason) => Err(session_ended(reason)),
            None => refused.map(|message| Answer {
                message,
                rest: None,
            }),
        }
    }

    /// Sends one message to the server's endpoint, or to the channel's.
    pub(super) async fn post(&self, session: &Session, message: Outgoing) -> Result<Response, End> {
        let headers = session.headers_of(&self.endpoint.headers, &message.metadata);
        let url = match &session.channel {
            Some(channel) => channel.url(),
            None => &self.endpoint.url,
        };
        self.send_in(session, Method::POST, url, headers, message.text)
            .await
    }

    /// Sends a request within the session, if there is one.
    pub(super) async fn send_in(
        &self,
        session: &Session,
        method: Method,
        url: &Url,
        headers: HeaderMap,
        body: String,
    ) -> Result<Response, End> {
        let endpoint = &self.endpoint;
        if session.id.is_none() {
            return endpoint.send(method, url, headers, body).await;
        }
        let sent = endpoint.send_unless(method, url, headers, body, lost::wants_session);
        sent.await.map_err(|end| match lost::wants_session(&end) {
            true => session_ended(reason(end)),
            false => end,
        })
    }

    /// Reads what came back for a request.
    async fn answer(&self, id: u64, response: Response, session: &Session) -> Result<Answer, End> {
        if is_stream(&response) {
            return self.follow(id, response, session).await;
        }
        let status = response.status();
        let body = self.endpoint.read_message(response).await?;
        let message = match batch::split(&body) {
            None => body,
            Some(batch) => self.sort(session, id, batch).await.ok_or_else(|| {
                let reason = "the server answered with a batch without the answer";
                failed(status, reason.to_owned())
            })?,
        };
        Ok(Answer {
            message,
            rest: None,
        })
    }

    /// Reads a request's stream up to the answer, and takes it up again where it breaks off.
    async fn follow(&self, id: u64, response: Response, session: &Session) -> Result<Answer, End> {
        let mut cursor = Cursor::default();
        let mut stream = self.stream(response);
        loop {
            let mut end = match self.read(session, id, &mut stream, &mut cursor).await {
                Ok(message) => {
                    let rest = Some(stream);
                    return Ok(Answer { message, rest });
                }
                Err(End::TooLong) => return Err(End::TooLong),
                Err(end) => end,
            };
            let response = loop {
                if !cursor.has_position() || cursor.fruitless() >= MAX_FRUITLESS {
                    return Err(end);
                }
                cursor.pause().await;
                match self.get(session, &mut cursor).await {
                    Ok(response) => break response,
                    Err((Refused::ForNow, why)) => end = why,
                    Err((_, why)) => return Err(why),
                }
            };
            stream = self.stream(response);
        }
    }

    /// Reads up to the answer.
    async fn read(
        &self,
        session: &Session,
        id: u64,
        stream: &mut Stream,
        cursor: &mut Cursor,
    ) -> Result<Vec<u8>, End> {
        loop {
            let event = match stream.next().await {
                Ok(event) => event?,
                Err(end) => {
                    cursor.ended();
                    return Err(end);
                }
            };
            cursor.pass(&event);
            let Some(message) = event.into_message() else {
                continue;
            };
            let batch = batch::split(&message).unwrap_or_else(|| vec![message]);
            if let Some(answer) = self.sort(session, id, batch).await {
                return Ok(answer);
            }
        }
    }

    /// Hands up messages, all but the answer to this request.
    async fn sort(&self, session: &Session, id: u64, messages: Vec<Vec<u8>>) -> Option<Vec<u8>> {
        let mut answer = None;
        for message in messages {
            if answer.is_none() && answers(id, &message) {
                answer = Some(message);
            } else {
                self.hand_up(session, Some(id), message).await;
            }
        }
        answer
    }

    fn stream(&self, response: Response) -> Stream {
        Stream::new(response, self.endpoint.max_message)
    }
}

/// An error without an id that is ours was written by a server that could not read it.
fn answers(id: u64, message: &[u8]) -> bool {
    match wire::parse(message) {
        Ok(Incoming::Response { id: to, .. }) => to.is_none_or(|to| to == id),
        _ => false,
    }
}

fn is_result(answered: &Result<Answer, End>) -> bool {
    let Ok(answer) = answered else { return false };
    let reply = wire::parse(&answer.message);
    matches!(
        reply,
        Ok(Incoming::Response {
            reply: Reply::Result(_),
            ..
        })
    )
}

/// Whether a refusal of `initialize` may come from a server of the old transport, which takes messages
/// elsewhere. What is an error of today comes from one of today.
fn may_be_of_old(status: StatusCode, answered: &Result<Answer, End>) -> bool {
    if !status.is_client_error() || matches!(status.as_u16(), 408 | 429) {
        return false;
    }
    match answered {
        Ok(answer) => !matches!(
            error_in(&answer.message).map(|(_, error)| error.code),
            Some(
                code::METHOD_NOT_FOUND
                    | code::HEADER_MISMATCH
                    | code::MISSING_REQUIRED_CLIENT_CAPABILITY
                    | code::UNSUPPORTED_PROTOCOL_VERSION
            )
        ),
        Err(end) => matches!(end, End::Failed(Failure::Failed { .. })),
    }
}
