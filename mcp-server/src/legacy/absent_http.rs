//! What the HTTP endpoint has of earlier revisions where they are left out: nothing.

use std::task::{Context as Task, Poll};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Response, request::Parts};

use crate::transport::http::{Endpoint, HttpBody, Refusal};

/// The methods that the endpoint knows.
pub(crate) const ALLOW: HeaderValue = HeaderValue::from_static("POST, OPTIONS");

/// The methods that pages of other origins may use.
pub(crate) const METHODS: HeaderValue = HeaderValue::from_static("POST");

/// The headers that pages of other origins may read.
pub(crate) const EXPOSED: HeaderValue = HeaderValue::from_static("www-authenticate, retry-after");

/// What is kept for clients that have sessions.
#[derive(Clone, Default)]
pub(crate) struct Earlier(());

impl Earlier {
    /// Every request is one of today.
    pub(crate) fn concerns(&self, _headers: &HeaderMap) -> bool {
        false
    }

    pub(crate) fn end(&self) {}
}

impl Endpoint {
    pub(crate) async fn answer_earlier<B>(
        &self,
        _parts: Parts,
        _body: B,
    ) -> Result<Response<HttpBody>, Refusal> {
        unreachable!("every request is one of today")
    }
}

/// There are no streams but those of calls.
pub(crate) enum Body {}

impl Body {
    pub(crate) fn poll(&mut self, _cx: &mut Task<'_>) -> Poll<Option<Bytes>> {
        match *self {}
    }

    pub(crate) fn has_ended(&self) -> bool {
        match *self {}
    }
}
