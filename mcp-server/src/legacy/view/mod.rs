//! What each revision may see of what the newest one has: fields, types and codes, and nothing else.
//!
//! A module a revision follows (`v2025_11_25`, `v2025_06_18`, `v2025_03_26`, `v2024_11_05`), each from what the next newer one
//! sees to what its own does; until then everything passes as it is. Pure functions of text, shallow: what users put into it
//! passes byte for byte.
#![expect(dead_code, reason = "the session that shows its answers follows")]

use mcp_core::{Revision, rpc::RpcError};

/// A result of `method` as this revision has it. `json` is the whole result as 2026-07-28 has it; of `initialize` it is
/// `protocolVersion`, `capabilities` (those of `server/discover`), `serverInfo` and `instructions`.
///
/// # Errors
///
/// What is answered where this revision cannot have such a result.
pub(crate) fn result(revision: Revision, method: &str, json: &str) -> Result<String, RpcError> {
    let _ = (revision, method);
    Ok(json.to_owned())
}

/// An error of `method` as this revision has it.
pub(crate) fn error(revision: Revision, method: &str, error: RpcError) -> RpcError {
    let _ = (revision, method);
    error
}

/// A notification to the client as this revision has it: the whole message, without a line's end.
pub(crate) fn notification(revision: Revision, message: Vec<u8>) -> Vec<u8> {
    let _ = revision;
    message
}

/// The parameters of a request to the client as this revision has them, an object; those of an elicitation by URL come with their
/// `elicitationId`.
///
/// # Errors
///
/// What of the question cannot be said in this revision, for the model or the log, such as "a choice of several values".
pub(crate) fn request(revision: Revision, method: &str, params: &str) -> Result<String, String> {
    let _ = (revision, method);
    Ok(params.to_owned())
}
