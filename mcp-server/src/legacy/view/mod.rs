//! What each revision may see of what the newest one has: fields, types and codes, and nothing else.
//!
//! Motivation: a function's result is made once, as 2026-07-28 has it, and every difference of an older revision stands at one
//! place. A module a revision says what it sees otherwise than the next newer one does, and the chain of them is walked from the
//! newest down; an `Object` is what they work on, `places` is where the things are that several of them change. Pure functions of
//! text, shallow: what users put into it passes byte for byte.
//!
//! What a revision has no place for goes, where the client loses nothing but display; and what would be lost otherwise is said
//! in a way that it understands.
//!
//! Specification: the changelogs of 2025-03-26, 2025-06-18, 2025-11-25 and 2026-07-28.

mod places;
mod v2024_11_05;
mod v2025_03_26;
mod v2025_06_18;
mod v2025_11_25;

use mcp_core::{Revision, rpc::RpcError};

use super::object::Object;

/// What a revision sees otherwise than the next newer one.
struct View {
    revision: Revision,
    /// Changes a result of a method.
    result: fn(method: &str, &mut Object),
    error: fn(method: &str, &mut RpcError),
    /// Changes the parameters of a notification.
    notification: fn(method: &str, &mut Object),
    /// Changes the parameters of a request to the client.
    request: fn(method: &str, &mut Object) -> Result<(), String>,
}

/// Newest first.
static VIEWS: [View; 4] = [
    v2025_11_25::VIEW,
    v2025_06_18::VIEW,
    v2025_03_26::VIEW,
    v2024_11_05::VIEW,
];

/// The views from the newest revision down to this one.
fn down_to(revision: Revision) -> &'static [View] {
    let older = VIEWS.iter().position(|view| view.revision < revision);
    &VIEWS[..older.unwrap_or(VIEWS.len())]
}

/// A result of `method` as this revision has it. `json` is the whole result as 2026-07-28 has it; of `initialize` it is
/// `protocolVersion`, `capabilities` (those of `server/discover`), `serverInfo` and `instructions`.
///
/// # Errors
///
/// What is answered where this revision cannot have such a result.
pub(super) fn result(revision: Revision, method: &str, json: &str) -> Result<String, RpcError> {
    let Some(mut result) = Object::parse(json) else {
        return Err(RpcError::internal_error("the result is no object"));
    };
    if let Some(other) = result.text("resultType").filter(|kind| kind != "complete") {
        return Err(RpcError::internal_error(format!(
            "the result is of the type `{other}`, which revision {revision} of the protocol does not have"
        )));
    }
    for view in down_to(revision) {
        (view.result)(method, &mut result);
    }
    Ok(result.to_json())
}

/// An error of `method` as this revision has it.
pub(super) fn error(revision: Revision, method: &str, mut error: RpcError) -> RpcError {
    for view in down_to(revision) {
        (view.error)(method, &mut error);
    }
    error
}

/// A notification to the client as this revision has it: the whole message, without a line's end.
pub(super) fn notification(revision: Revision, message: Vec<u8>) -> Vec<u8> {
    seen(revision, &message).map_or(message, String::into_bytes)
}

fn seen(revision: Revision, message: &[u8]) -> Option<String> {
    let mut whole = Object::parse(std::str::from_utf8(message).ok()?)?;
    let method = whole.text("method")?;
    whole.edit("params", &mut |params| {
        for view in down_to(revision) {
            (view.notification)(&method, params);
        }
    });
    Some(whole.to_json())
}

/// Makes the parameters of a request to the client such as this revision has; those of an elicitation by URL come with their
/// `elicitationId`.
///
/// # Errors
///
/// What of the question cannot be said in this revision, for the model or the log, such as "a choice of several values".
pub(super) fn request(revision: Revision, method: &str, params: &mut Object) -> Result<(), String> {
    for view in down_to(revision) {
        (view.request)(method, params)?;
    }
    Ok(())
}

/// The same of a text.
#[cfg(test)]
fn requested(revision: Revision, method: &str, params: &str) -> Result<String, String> {
    let Some(mut object) = Object::parse(params) else {
        return Ok(params.to_owned());
    };
    request(revision, method, &mut object)?;
    Ok(object.to_json())
}

#[cfg(test)]
mod anything;
#[cfg(test)]
mod official;
