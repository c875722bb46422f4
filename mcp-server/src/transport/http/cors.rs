//! What lets pages of other origins call: answers to pre-flight requests, and headers on all answers.
//!
//! Cookies are not let through: nothing here says `Access-Control-Allow-Credentials`. Clients carry
//! their authorization in a header.
//!
//! Specification: none; this is the Fetch standard, section "CORS protocol".

use http::{HeaderValue, Response, StatusCode, header};

use super::{body::HttpBody, guard::Origin};
use crate::{
    legacy::http::{ALLOW, EXPOSED, METHODS},
    server::Server,
};

/// The headers that clients set. The last two are of earlier revisions.
const HEADERS: &str = "accept, authorization, content-type, mcp-protocol-version, mcp-method, \
                       mcp-name, traceparent, tracestate, baggage, mcp-session-id, last-event-id";

/// How long a browser may keep what it was told, in seconds.
const MAX_AGE: HeaderValue = HeaderValue::from_static("7200");

/// What pages may send.
#[derive(Debug, Clone)]
pub(super) struct Cors {
    headers: HeaderValue,
}

impl Cors {
    pub(super) fn new(server: &Server) -> Self {
        let mut headers = HEADERS.to_owned();
        let functions = server.inner().functions.iter();
        let mut names: Vec<&str> = functions
            .flat_map(|function| function.headers.names())
            .collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            headers.push_str(", ");
            headers.push_str(name);
        }
        Self {
            headers: HeaderValue::try_from(headers)
                .unwrap_or_else(|_| HeaderValue::from_static(HEADERS)),
        }
    }

    /// Answers a pre-flight request, or whoever asks for the methods.
    pub(super) fn preflight(&self, origin: &Origin) -> Response<HttpBody> {
        let mut response = HttpBody::empty(StatusCode::NO_CONTENT);
        let headers = response.headers_mut();
        headers.insert(header::ALLOW, ALLOW);
        if matches!(origin, Origin::Allowed(_)) {
            headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, METHODS);
            headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, self.headers.clone());
            headers.insert(header::ACCESS_CONTROL_MAX_AGE, MAX_AGE);
        }
        response
    }
}

/// Lets the page read an answer, whatever it is.
pub(super) fn mark(response: &mut Response<HttpBody>, origin: Origin) {
    let Origin::Allowed(origin) = origin else {
        return;
    };
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    vary(response);
}

/// Says that an answer is not for other origins.
pub(super) fn vary(response: &mut Response<HttpBody>) {
    let headers = response.headers_mut();
    headers.insert(header::VARY, HeaderValue::from_static("Origin"));
}
