//! Clients that open with the handshake of earlier revisions.
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
    let supported: Vec<&str> = Revision::SUPPORTED.iter().map(|r| r.as_str()).collect();
    RpcError::new(
        code::METHOD_NOT_FOUND,
        format!(
            "this server has no `initialize`: it speaks the protocol versions {}, in which every \
             request carries its version",
            supported.join(", ")
        ),
    )
    .with_data(json!({ "supported": supported }))
}
