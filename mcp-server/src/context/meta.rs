//! What a request says of itself and of its client, in `_meta`.

use mcp_core::{
    protocol::{Implementation, Meta, meta::key},
    rpc::RpcError,
};
use serde_json::{Map, Value};

use super::Context;
use crate::error::ToolError;

/// The trace that a request is part of, as its client says.
///
/// The values are in the formats of W3C Trace Context and W3C Baggage, which nobody has checked; hand them to the propagator of your
/// tracing library.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TraceContext {
    /// The trace and the span that the request belongs to.
    pub traceparent: Option<String>,
    /// What vendors add to that.
    pub tracestate: Option<String>,
    /// Data that travels with the trace.
    pub baggage: Option<String>,
}

impl Context {
    /// The client's name and version, as it says; not verified.
    ///
    /// Specification: basic/index, Per-request protocol fields.
    #[inline] // Compiled only where it is used.
    pub fn client_info(&self) -> Option<Implementation> {
        let meta = self.meta();
        let info = meta.get(key::CLIENT_INFO)?;
        serde_json::from_value(info.clone()).ok()
    }

    /// The request's `_meta`, as it came: trace context and keys of extensions among it. Members whose values cannot be read are left
    /// out: half a surrogate in a text, a number past all floats, more than 128 values within each other.
    ///
    /// Specification: basic/index, `_meta`.
    pub fn meta(&self) -> Meta {
        self.received().meta()
    }

    /// The trace that the request is part of; empty where the client does not trace.
    ///
    /// Specification: basic/index, OpenTelemetry trace context.
    #[inline]
    pub fn trace_context(&self) -> TraceContext {
        let mut meta = self.meta();
        let mut text = |name: &str| match meta.remove(name) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        TraceContext {
            traceparent: text(key::TRACEPARENT),
            tracestate: text(key::TRACESTATE),
            baggage: text(key::BAGGAGE),
        }
    }

    /// The client's settings for an extension, if this request declares that the client has it.
    ///
    /// Specification: basic/versioning, Extension Negotiation.
    pub fn client_extension(&self, name: &str) -> Option<Value> {
        let mut meta = self.meta();
        let declared = meta.get_mut(key::CLIENT_CAPABILITIES)?;
        let settings = declared.get_mut("extensions")?.get_mut(name)?;
        settings.is_object().then(|| settings.take())
    }

    /// Ends the call where the client does not have an extension, for functions that cannot do without.
    ///
    /// # Errors
    ///
    /// `-32021`, which names the extension that is missing.
    pub fn require_extension(&self, name: &str) -> Result<(), ToolError> {
        self.declares_extension(name).map_err(ToolError::protocol)
    }

    pub(crate) fn declares_extension(&self, name: &str) -> Result<(), RpcError> {
        if self.client_extension(name).is_some() {
            return Ok(());
        }
        let settings = Value::Object(Map::new());
        let extensions = Map::from_iter([(name.to_owned(), settings)]);
        let required = Map::from_iter([("extensions".to_owned(), extensions.into())]);
        Err(RpcError::missing_client_capability(required.into()))
    }
}
