//! Clients of earlier revisions over HTTP: sessions, streams that can be taken up again.
//!
//! Motivation: today's requests describe themselves and need none of this. So what a request of an earlier revision needs
//! stands here alone, beside the endpoint in `transport/http`, which looks at one header and hands over what is not of
//! today.
//!
//! `route` says which era a request is of, and which session. `endpoint` responds to POST, GET and DELETE, and `post` to
//! what a POST carries. `sessions` holds the sessions, of which `store` says who goes first, and `calls` what all of them
//! have under way; `session` is one of them. Its
//! `streams` keep what was sent; `outgoing` is how a call sends, and `body` how a connection reads. `settings` is what an
//! operator may set. `sse` is the transport before all this, behind the feature `http-sse`.
//!
//! Specification: 2025-11-25, basic/transports; 2025-06-18 and 2025-03-26 are the same but for what is said where it
//! differs.

mod body;
mod calls;
mod endpoint;
mod outgoing;
mod post;
mod route;
mod session;
mod sessions;
mod settings;
#[cfg(feature = "http-sse")]
mod sse;
mod store;
mod streams;

use http::HeaderValue;

pub(crate) use self::{body::Body, endpoint::Earlier};

/// The methods that the endpoint knows.
pub(crate) const ALLOW: HeaderValue = HeaderValue::from_static("GET, POST, DELETE, OPTIONS");

/// The methods that pages of other origins may use.
pub(crate) const METHODS: HeaderValue = HeaderValue::from_static("GET, POST, DELETE");

/// The headers that pages of other origins may read.
pub(crate) const EXPOSED: HeaderValue =
    HeaderValue::from_static("mcp-session-id, www-authenticate, retry-after");
