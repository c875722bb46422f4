//! The first request on a connection: does the server speak a revision without a handshake?
//!
//! Specification: basic/transports/stdio, Backward Compatibility. Some servers of older revisions
//! would serve a call under rules of their own; after the probe that cannot happen.

use std::time::Duration;

use mcp_core::Revision;
use mcp_core::rpc::code;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::VERSION;
use crate::client::{Client, discover_call, keep_server};
use crate::error::Error;
use crate::options::CallOptions;

/// What the probe found.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// It speaks our revision, and what it says about itself is kept.
    Modern,
    /// It answered like no server of today.
    Unknown(Refusal),
}

/// An answer that no server of today gives, or none at all. No single code means an older revision.
#[derive(Debug)]
pub(crate) struct Refusal {
    /// What came, in words.
    pub(crate) answer: String,
    /// What to say if no older revision turns up either; otherwise that the server is an older one.
    pub(crate) unclear: Option<Error>,
    /// The revisions that the server itself named, where it did.
    pub(crate) speaks: Vec<String>,
}

impl Refusal {
    /// Whether a server has said it, and not a proxy or a slow start.
    pub(crate) fn is_clear(&self) -> bool {
        match &self.unclear {
            None => true,
            // Specification: basic/transports/streamable-http, Backward Compatibility.
            Some(Error::RequestFailed { status, .. }) => matches!(status, Some(400 | 404 | 405)),
            Some(_) => false,
        }
    }
}

/// Statuses that say nothing about the revision, like those of redirects: whoever stands before the server gives
/// them.
const OF_OTHERS: [u16; 8] = [401, 403, 407, 408, 429, 502, 503, 504];

/// Asks with `server/discover`, and keeps what the server says about itself.
pub(crate) async fn probe(client: &Client, patience: Duration) -> Result<Verdict, Error> {
    let session = client
        .session()
        .options(CallOptions::new().request_timeout(patience));
    let call = discover_call();
    let lookup = session.lookup(&call);
    let refusal = |answer: String, unclear: Option<Error>| {
        Ok(Verdict::Unknown(Refusal {
            answer,
            unclear,
            speaks: Vec::new(),
        }))
    };
    match session.request(&call.method, serde_json::json!({})).await {
        Ok(result) => match supported_versions(&result) {
            Some(versions) if versions.iter().any(|version| version == VERSION) => {
                keep_server(&client.inner, &result)?;
                session.keep(lookup, &result);
                Ok(Verdict::Modern)
            }
            Some(theirs) => unsupported(theirs),
            None => refusal("a result without supportedVersions".to_owned(), None),
        },
        // Errors that only servers of today give, if they have the form that the specification gives them.
        Err(Error::UnsupportedVersion { theirs, .. }) if !theirs.is_empty() => unsupported(theirs),
        Err(error @ Error::MissingCapability { .. }) if names_capabilities(&error) => Err(error),
        Err(Error::Rpc(error)) if error.code == code::HEADER_MISMATCH => Err(Error::Rpc(error)),
        Err(
            error @ (Error::UnsupportedVersion { .. }
            | Error::MissingCapability { .. }
            | Error::Rpc(_)),
        ) => refusal(described(&error), None),
        Err(Error::Timeout { after, .. }) => {
            let unclear = Error::NoAnswer {
                after,
                handshake: false,
            };
            refusal(format!("nothing within {after:?}"), Some(unclear))
        }
        Err(Error::InvalidResult { reason, .. }) => {
            refusal(format!("an invalid message: {reason}"), None)
        }
        // Specification: basic/transports/streamable-http, Backward Compatibility.
        Err(
            error @ Error::RequestFailed {
                status: Some(status),
                ..
            },
        ) if !(300..400).contains(&status) && !OF_OTHERS.contains(&status) => {
            refusal(format!("status {status}"), Some(error))
        }
        // What has nothing to do with revisions, and a connection that is gone.
        Err(error) => Err(error),
    }
}

/// What to say where neither way of asking has found a server: what was said to the first. If nothing was there for
/// either of them, the URL is wrong.
pub(crate) fn found_nothing(first: Error, second: &Error) -> Error {
    const MISSING: Option<u16> = Some(404);
    match (first, second) {
        (
            Error::RequestFailed {
                method,
                status: MISSING,
                reason,
            },
            Error::RequestFailed {
                status: MISSING, ..
            },
        ) => Error::RequestFailed {
            method,
            status: MISSING,
            reason: format!("there is no MCP endpoint at this URL: {reason}"),
        },
        (first, _) => first,
    }
}

/// Servers may name revisions with a handshake beside those without one.
fn unsupported(theirs: Vec<String>) -> Result<Verdict, Error> {
    let in_common = |version: &String| {
        let mut legacy = Revision::LEGACY.iter();
        legacy.any(|revision| revision.as_str() == version)
    };
    // One that speaks ours as well is of today, whatever it says.
    let is_of_today = theirs.iter().any(|version| version == VERSION);
    if !is_of_today && theirs.iter().any(in_common) {
        return Ok(Verdict::Unknown(Refusal {
            answer: format!("the versions {}", theirs.join(", ")),
            unclear: None,
            speaks: theirs,
        }));
    }
    Err(Error::UnsupportedVersion {
        ours: VERSION,
        theirs,
    })
}

fn names_capabilities(error: &Error) -> bool {
    matches!(error, Error::MissingCapability { required, .. } if required.is_object())
}

fn described(error: &Error) -> String {
    match error {
        Error::Rpc(error) | Error::MissingCapability { error, .. } => {
            format!("error {}: {}", error.code, error.message)
        }
        other => format!("error {}", other.code().unwrap_or_default()),
    }
}

fn supported_versions(result: &RawValue) -> Option<Vec<String>> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Members {
        supported_versions: Vec<String>,
    }
    let members: Members = serde_json::from_str(result.get()).ok()?;
    Some(members.supported_versions)
}
