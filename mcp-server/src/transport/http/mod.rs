//! Streamable HTTP: one endpoint, a POST a message, an answer in JSON or as a stream of events.
//!
//! Motivation: a request's whole life is one future and, where the answer is a stream, one body. The
//! future polls the call itself, so that most calls have neither a task nor a channel; a call whose
//! stream has begun goes on as a task, because a body is polled only as fast as its client reads. The
//! client's going is the call's end: whoever drops the one or the other gives the call up.
//!
//! `service` is what a request goes through: `guard` and `negotiate` before its body is read,
//! `headers` once it is. `call` holds what waits, `events` what it sends, `body` is what goes out.
//! `serve` puts a listener in front. What clients of earlier revisions need beside is in `legacy/http`.
//!
//! Specification: basic/transports/streamable-http.

mod body;
mod call;
mod cors;
mod events;
mod guard;
mod headers;
mod negotiate;
mod principal;
mod read;
mod refusal;
mod serve;
mod service;

pub(crate) use self::headers::HeaderParameters;
pub use self::{
    body::HttpBody,
    principal::Identity,
    service::{HttpFuture, StreamableHttp},
};
pub(crate) use self::{call::Call, events::COMMENT, negotiate::Forms};
pub(crate) use self::{refusal::Refusal, service::Endpoint};
