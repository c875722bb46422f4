//! The refusal of a handshake, where none is served.
//!
//! Specification: basic/versioning, Backward Compatibility.

use mcp_core::{
    Revision,
    rpc::{RpcError, code},
};
use serde_json::json;

/// The method that such a client begins with.
pub(crate) const INITIALIZE: &str = "initialize";

/// Refuses the handshake, naming the versions that are spoken: the client may have nothing else to
/// show.
pub(crate) fn refuse_initialize() -> RpcError {
    refusal(code::METHOD_NOT_FOUND)
}

/// The same over HTTP, where it comes without the header that every request of today has; or with that of
/// another version.
///
/// Specification: basic/transports/streamable-http, Protocol Version Header.
#[cfg(feature = "http")]
pub(crate) fn refuse_header(version: Option<&str>) -> RpcError {
    match version {
        None => refusal(code::HEADER_MISMATCH),
        Some(version) => RpcError::unsupported_version(version, &Revision::modern_names()),
    }
}

fn refusal(code: i32) -> RpcError {
    let supported = Revision::modern_names();
    RpcError::new(
        code,
        format!(
            "there is no `initialize` in the protocol versions {}, in which every request carries its \
             version",
            supported.join(", ")
        ),
    )
    .with_data(json!({ "supported": supported }))
}

/// What a request over HTTP is told that is of no revision.
#[cfg(feature = "http")]
pub(crate) const NO_HEADERS: &str = if cfg!(feature = "legacy") {
    "the headers `MCP-Protocol-Version` and `Mcp-Method` are missing; every request has them, or it belongs to a \
     session, which begins with `initialize`, and names that in `Mcp-Session-Id`"
} else {
    "the headers `MCP-Protocol-Version` and `Mcp-Method` are missing; every request has them"
};

/// What a request is told that is of no revision.
pub(crate) const NO_META: &str = if cfg!(feature = "legacy") {
    "`_meta` is missing; every request carries `io.modelcontextprotocol/protocolVersion` and \
     `io.modelcontextprotocol/clientCapabilities` in it, or the connection begins with `initialize`"
} else {
    "`_meta` is missing; every request carries `io.modelcontextprotocol/protocolVersion` and \
     `io.modelcontextprotocol/clientCapabilities` in it"
};

#[cfg(test)]
mod tests {
    use super::*;

    /// Clients with a handshake show its error to people, so it says what would work.
    #[test]
    fn who_is_refused_hears_which_versions_are_spoken() {
        let error = refuse_initialize();
        assert_eq!(error.code, -32601);
        assert!(error.message.contains("2026-07-28"), "{error}");
        assert_eq!(error.data, Some(json!({ "supported": ["2026-07-28"] })));
    }

    #[test]
    fn a_handshake_is_offered_where_it_is_served() {
        let offers = NO_META.contains("`initialize`");
        assert_eq!(offers, cfg!(feature = "legacy"));
    }
}
