//! What is answered to a request that does not get as far as the server.

use std::borrow::Cow;

use http::{Response, StatusCode, header};
use mcp_core::rpc::{RpcError, write_error};

use super::body::HttpBody;
use crate::legacy::http::ALLOW;

/// Why a request is refused, before anybody looks at the message in it.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    text: Cow<'static, str>,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, text: impl Into<Cow<'static, str>>) -> Self {
        Self {
            status,
            text: text.into(),
        }
    }

    /// An error response of JSON-RPC, without an id: none was read.
    pub(crate) fn into_response(self) -> Response<HttpBody> {
        tracing::debug!(status = self.status.as_u16(), reason = %self.text, "a request was refused");
        let mut out = Vec::new();
        write_error(&mut out, None, &RpcError::invalid_request(self.text));
        let mut response = HttpBody::json(self.status, out);
        if self.status == StatusCode::METHOD_NOT_ALLOWED {
            response.headers_mut().insert(header::ALLOW, ALLOW);
        }
        response
    }
}
