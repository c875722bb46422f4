//! How servers say that they do not know a session, and so have not looked at the request.
//!
//! Specification: revision 2025-11-25, basic/transports, Session Management. They say so with status 404. Some that
//! are about have other words for it, which are listed here as they write them; whoever says anything else means
//! something else, and may have processed the request.

use mcp_core::rpc::{RpcError, code};
use reqwest::StatusCode;

use crate::transport::Failure;
use crate::transport::http::endpoint::{End, refusal};
use crate::wire::{self, Incoming, Reply};

/// Not defined by the protocol, but in common use.
const SERVER_ERROR: i32 = -32000;
const SESSION_NOT_FOUND: i32 = -32001;

/// JSON-RPC errors with status 400 that name no request.
const ERRORS: [(i32, &str); 3] = [
    // server-everything and the examples of the TypeScript SDK.
    (SERVER_ERROR, "Bad Request: No valid session ID provided"),
    (SERVER_ERROR, "Bad Request: No valid session ID"),
    // The transport of the TypeScript SDK in a server that has one for all, and was started again.
    (SERVER_ERROR, "Bad Request: Server not initialized"),
];

/// Bodies that are no JSON-RPC errors.
const TEXTS: [(StatusCode, &str); 3] = [
    // The Python SDK before 1.26.
    (
        StatusCode::BAD_REQUEST,
        "Bad Request: No valid session ID provided",
    ),
    // mcp-go up to the end of 2025.
    (StatusCode::BAD_REQUEST, "Invalid session ID"),
    // rmcp up to February 2026.
    (StatusCode::UNAUTHORIZED, "Unauthorized: Session not found"),
];

/// Why the request was refused, if that is because the server does not know the session. `refused` is the answer to
/// request `id` with this status.
pub(super) fn why(id: u64, status: StatusCode, refused: &Result<Vec<u8>, End>) -> Option<String> {
    let is_missing = status == StatusCode::NOT_FOUND;
    match refused {
        Ok(message) => {
            let (to, error) = error_in(message)?;
            let is_lost = match (is_missing, to == Some(id)) {
                // What the request names may be missing. But some repeat its id when the session is.
                (true, true) => is_about_session(&error),
                (true, false) => error.code != code::METHOD_NOT_FOUND,
                (false, true) => false,
                (false, false) => {
                    let known = ERRORS.contains(&(error.code, &error.message));
                    known && status == StatusCode::BAD_REQUEST
                }
            };
            is_lost.then(|| error.to_string())
        }
        Err(End::Failed(Failure::Failed { reason, .. })) => {
            let is_lost = is_missing || is_text(status, reason);
            is_lost.then(|| reason.clone())
        }
        Err(_) => None,
    }
}

/// Whether the refusal of a request in a session wants no credentials but another session.
pub(super) fn wants_session(end: &End) -> bool {
    match end {
        End::Failed(Failure::Unauthorized {
            challenge: None,
            reason,
            ..
        }) => is_text(StatusCode::UNAUTHORIZED, reason),
        _ => false,
    }
}

pub(super) fn session_ended(reason: String) -> End {
    End::Failed(Failure::SessionEnded { reason })
}

fn is_text(status: StatusCode, reason: &str) -> bool {
    let mut texts = TEXTS.iter().filter(|(of, _)| *of == status);
    texts.any(|(_, text)| reason == refusal(status, text.as_bytes()))
}

fn is_about_session(error: &RpcError) -> bool {
    matches!(
        error.code,
        code::INVALID_REQUEST | SERVER_ERROR | SESSION_NOT_FOUND
    ) && error.message.to_lowercase().contains("session")
}

/// An error, and the request of this client that it names.
pub(super) fn error_in(message: &[u8]) -> Option<(Option<u64>, RpcError)> {
    match wire::parse(message) {
        Ok(Incoming::Response {
            id,
            reply: Reply::Error(error),
        }) => Some((id, error)),
        _ => None,
    }
}
