//! The handshake's request; and servers that are not taken: which version they speak, so that the error can name it.

use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::VERSION;
use crate::client::Client;
use crate::error::Error;
use crate::peer::Request;
use crate::probe::{Refusal, found_nothing};
use crate::transport::{Era, Metadata};

/// The last revision with a handshake. A server that does not speak it offers another.
const LAST_WITH_HANDSHAKE: &str = "2025-11-25";

pub(super) const METHOD: &str = "initialize";

/// A server that answers the handshake at all does so quickly.
const PATIENCE: Duration = Duration::from_secs(5);

/// Why a server that gave no answer of today is not taken.
pub(crate) async fn refuse(client: &Client, refusal: Refusal) -> Error {
    if !refusal.speaks.is_empty() {
        return Error::UnsupportedVersion {
            ours: VERSION,
            theirs: refusal.speaks,
        };
    }
    match (refusal.unclear, offered_version(client).await) {
        (Some(unclear), Err(error)) => found_nothing(unclear, &error),
        (_, theirs) => Error::OldServer {
            ours: VERSION,
            theirs: theirs.ok(),
            answer: refusal.answer,
        },
    }
}

/// The revision that the server offers in the old way, if it understands that.
async fn offered_version(client: &Client) -> Result<String, Error> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Members {
        protocol_version: String,
    }
    let params = json!({
        "protocolVersion": LAST_WITH_HANDSHAKE,
        "capabilities": {},
        "clientInfo": client.inner.identity,
    });
    let result = initialize(client, &params, None, PATIENCE).await?;
    let invalid = |e: serde_json::Error| Error::InvalidResult {
        method: METHOD.to_owned(),
        reason: e.to_string(),
    };
    let members: Members = serde_json::from_str(result.get()).map_err(invalid)?;
    Ok(members.protocol_version)
}

/// Sends the handshake's request; `version` is what transports are told of it.
pub(super) async fn initialize(
    client: &Client,
    params: &Value,
    version: Option<&'static str>,
    patience: Duration,
) -> Result<Box<RawValue>, Error> {
    let request = Request {
        method: METHOD,
        params: &params.to_string(),
        token: None,
        timeout: Some(patience),
        progress_ceiling: None,
        metadata: Metadata {
            method: METHOD.to_owned(),
            version,
            era: Era::Handshake,
            ..Metadata::default()
        },
        clock: None,
        id: None,
    };
    client.inner.peer.request(request, |_| {}).await
}
