//! JSON-RPC errors: the codes the specification knows, and the error object.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::text::joined;

/// The error codes of JSON-RPC and of MCP.
///
/// Specification: basic/index, Error Codes.
pub mod code {
    /// The message is not JSON.
    pub const PARSE_ERROR: i32 = -32700;
    /// The message is JSON, but no request.
    pub const INVALID_REQUEST: i32 = -32600;
    /// No such method, or not one this peer offers.
    pub const METHOD_NOT_FOUND: i32 = -32601;
    /// The method exists, its parameters do not fit.
    pub const INVALID_PARAMS: i32 = -32602;
    /// The peer failed while answering.
    pub const INTERNAL_ERROR: i32 = -32603;
    /// A header of the HTTP request disagrees with the body.
    pub const HEADER_MISMATCH: i32 = -32020;
    /// The request needs a capability that the client did not declare on it.
    pub const MISSING_REQUIRED_CLIENT_CAPABILITY: i32 = -32021;
    /// The request's protocol version is not served.
    pub const UNSUPPORTED_PROTOCOL_VERSION: i32 = -32022;
    /// There is no such resource. Of revisions with a handshake only: since 2026-07-28 it is
    /// [`INVALID_PARAMS`], and this one is never sent.
    pub const RESOURCE_NOT_FOUND: i32 = -32002;
    /// The user has to open a page before the request can be answered. Of revision 2025-11-25 only, and never sent in
    /// any other.
    pub const URL_ELICITATION_REQUIRED: i32 = -32042;
}

/// The `error` member of a JSON-RPC error response.
///
/// Specification: basic/index, Error Responses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RpcError {
    /// What went wrong, one of [`code`] or an application's own.
    pub code: i32,
    /// One sentence for whoever reads the peer's log.
    pub message: Cow<'static, str>,
    /// Details, in a form that the code defines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

impl RpcError {
    /// An error with a code of your choice and no data.
    pub fn new(code: i32, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// The same error with `data`.
    #[must_use]
    pub fn with_data(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }

    /// `-32700`: the bytes are not JSON.
    pub fn parse_error(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(code::PARSE_ERROR, message)
    }

    /// `-32600`: JSON, but no request.
    pub fn invalid_request(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(code::INVALID_REQUEST, message)
    }

    /// `-32601`, naming the method.
    pub fn method_not_found(method: &str) -> Self {
        let shown: String = method.chars().take(100).collect();
        Self::new(
            code::METHOD_NOT_FOUND,
            format!("method `{shown}` not found"),
        )
    }

    /// `-32602`: the parameters do not fit the method.
    pub fn invalid_params(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(code::INVALID_PARAMS, message)
    }

    /// `-32602` for a resource that does not exist, with its URI in `data`.
    ///
    /// Specification: server/resources, Error Handling.
    #[must_use]
    pub fn resource_not_found(uri: &str) -> Self {
        Self::invalid_params("resource not found").with_data(serde_json::json!({ "uri": uri }))
    }

    /// `-32603`: the peer's own failure, without its inner text.
    pub fn internal_error(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(code::INTERNAL_ERROR, message)
    }

    /// `-32021`, with the capabilities that were missing, in the shape of
    /// `ClientCapabilities`.
    ///
    /// Specification: basic/index, Per-request protocol fields.
    pub fn missing_client_capability(required: Value) -> Self {
        Self::new(
            code::MISSING_REQUIRED_CLIENT_CAPABILITY,
            "the client did not declare a capability that this request needs",
        )
        .with_data(json!({ "requiredCapabilities": required }))
    }

    /// `-32022`, with the versions that are served.
    ///
    /// Specification: basic/versioning, Protocol Version Negotiation.
    pub fn unsupported_version(requested: &str, supported: &[&str]) -> Self {
        Self::new(
            code::UNSUPPORTED_PROTOCOL_VERSION,
            format!(
                "unsupported protocol version; supported: {}",
                joined(supported, ", ")
            ),
        )
        .with_data(json!({ "supported": supported, "requested": requested }))
    }
}

impl std::fmt::Display for RpcError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

impl std::error::Error for RpcError {}
