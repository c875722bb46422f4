//! The first request on a connection: does the server speak this client's revision?
//!
//! Specification: basic/transports/stdio, Backward Compatibility. Some servers of older revisions
//! would serve a call under rules of their own; the probe makes that a clear error.

use std::time::Duration;

use mcp_core::rpc::code;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::VERSION;
use crate::client::{Client, discover_call, keep_server};
use crate::error::Error;
use crate::legacy;
use crate::options::CallOptions;

/// Asks with `server/discover`, and keeps what the server says about itself.
pub(crate) async fn probe(client: &Client, patience: Duration) -> Result<(), Error> {
    let session = client
        .session()
        .options(CallOptions::new().request_timeout(patience));
    let call = discover_call();
    let lookup = session.lookup(&call);
    let answer = session.request(&call.method, serde_json::json!({})).await;
    // What to say if no older revision turns up either.
    let mut unclear = None;
    let answer = match answer {
        Ok(result) => match supported_versions(&result) {
            Some(versions) if versions.iter().any(|version| version == VERSION) => {
                keep_server(&client.inner, &result)?;
                session.keep(lookup, &result);
                return Ok(());
            }
            Some(theirs) => {
                return Err(Error::UnsupportedVersion {
                    ours: VERSION,
                    theirs,
                });
            }
            None => "a result without supportedVersions".to_owned(),
        },
        Err(Error::Rpc(error)) if error.code != code::HEADER_MISMATCH => {
            format!("error {}: {}", error.code, error.message)
        }
        Err(Error::Timeout { after, .. }) => {
            unclear = Some(Error::NoAnswer { after });
            format!("nothing within {after:?}")
        }
        Err(Error::InvalidResult { reason, .. }) => format!("an invalid message: {reason}"),
        // Specification: basic/transports/streamable-http, Backward Compatibility.
        Err(
            error @ Error::RequestFailed {
                status: Some(status @ (400 | 404 | 405)),
                ..
            },
        ) => {
            unclear = Some(error);
            format!("status {status}")
        }
        // Errors that only a server of this era gives, and a connection that is gone.
        Err(error) => return Err(error),
    };
    // Any other answer means a server of an older era; no single code identifies one.
    let theirs = legacy::offered_version(client).await;
    if let (Some(error), None) = (unclear, &theirs) {
        return Err(error);
    }
    Err(Error::OldServer {
        ours: VERSION,
        theirs,
        answer,
    })
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
