//! The handshake: `initialize`, what the server answers, and `notifications/initialized`.
//!
//! Specification: 2025-11-25, basic/lifecycle.

use std::time::Duration;

use mcp_core::Revision;
use mcp_core::protocol::meta::key;
use mcp_core::protocol::{DiscoverResult, Implementation, ServerCapabilities};
use mcp_core::rpc::RpcError;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::client::Client;
use crate::error::Error;
use crate::excerpt::Excerpt;
use crate::probe::{Refusal, found_nothing};

use super::connection::Connection;
use super::offered::METHOD;
use super::{capabilities, listen, offered};

/// Whether this client speaks revisions with a handshake.
pub(crate) const IS_SPOKEN: bool = true;

/// What is offered unless something else is known: a server that does not speak it answers with its own.
const NEWEST: Revision = Revision::V2025_11_25;

/// What errors say of this client.
const SPOKEN: &str = "2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28";

/// For the handshake of another session: a server that has just answered is there.
const PATIENCE: Duration = Duration::from_secs(30);

/// Agrees on this revision and on no other.
pub(crate) async fn begin(
    client: &Client,
    revision: Revision,
    patience: Duration,
) -> Result<(), Error> {
    let agreed = negotiate(client, revision, patience).await?;
    if agreed.revision != revision {
        return Err(Error::UnsupportedVersion {
            ours: revision.as_str(),
            theirs: vec![agreed.revision.to_string()],
        });
    }
    agreed.take(client).await
}

/// Agrees on the newest revision that both speak.
pub(crate) async fn begin_newest(client: &Client, patience: Duration) -> Result<(), Error> {
    begin_with(client, NEWEST, patience).await
}

async fn begin_with(client: &Client, revision: Revision, patience: Duration) -> Result<(), Error> {
    let agreed = match negotiate(client, revision, patience).await {
        // Servers answer with a version of their own; some refuse instead, and name what they speak.
        Err(Error::Handshake { error, .. })
            if let Some(other) = newest_of(&named(&error)).filter(|other| *other != revision) =>
        {
            negotiate(client, other, patience).await?
        }
        agreed => agreed?,
    };
    agreed.take(client).await
}

/// Agrees with a server that gave no answer of today.
pub(crate) async fn fall_back(
    client: &Client,
    refusal: Refusal,
    patience: Duration,
) -> Result<(), Error> {
    let revision = newest_of(&refusal.speaks).unwrap_or(NEWEST);
    tracing::debug!(target: "mcp_client", answer = %Excerpt(&refusal.answer), %revision, "falls back to the handshake");
    let error = match begin_with(client, revision, patience).await {
        Ok(()) => return Ok(()),
        Err(error @ (Error::UnsupportedVersion { .. } | Error::Closed { .. })) => {
            return Err(error);
        }
        Err(error) => error,
    };
    let Refusal {
        answer, unclear, ..
    } = refusal;
    // Where both came to nothing in the same way, the first one says it.
    let is_nothing = match &error {
        Error::RequestFailed { status, .. } => status.is_none_or(|status| status >= 400),
        error => matches!(error, Error::Timeout { .. }),
    };
    let answer = match (unclear.filter(|_| is_nothing), error) {
        (Some(Error::NoAnswer { after, .. }), Error::Timeout { .. }) => {
            return Err(Error::NoAnswer {
                after,
                handshake: true,
            });
        }
        (Some(unclear), error) => return Err(found_nothing(unclear, &error)),
        (None, Error::Handshake { error, .. }) => {
            format!(
                "{answer}, and initialize with error {}: {}",
                error.code, error.message
            )
        }
        (None, Error::Timeout { after, .. }) => {
            format!("{answer}, and initialize with nothing within {after:?}")
        }
        (None, error) => return Err(error),
    };
    Err(Error::OldServer {
        ours: SPOKEN,
        theirs: None,
        answer,
    })
}

/// Why a server that gave no answer of today is not taken, where no other will do.
pub(crate) async fn refuse(client: &Client, refusal: Refusal) -> Error {
    offered::refuse(client, refusal).await
}

/// Agrees on the same revision once more, after the server has ended the session.
pub(super) async fn repeat(client: &Client, revision: Revision) -> Result<(), Error> {
    let agreed = negotiate(client, revision, PATIENCE).await?;
    match (agreed.revision == revision, client.inner.legacy()) {
        (true, Some(old)) => {
            old.notify(client, INITIALIZED);
            Ok(())
        }
        _ => Err(Error::UnsupportedVersion {
            ours: revision.as_str(),
            theirs: vec![agreed.revision.to_string()],
        }),
    }
}

const INITIALIZED: &str = "notifications/initialized";

/// What the server answered.
struct Agreed {
    revision: Revision,
    capabilities: ServerCapabilities,
    info: Option<Implementation>,
    said: DiscoverResult,
}

impl Agreed {
    /// Goes over to the revision.
    async fn take(self, client: &Client) -> Result<(), Error> {
        let inner = &client.inner;
        let old = Connection::new(client, self.revision, self.capabilities);
        // Both are set once, by the one who connects.
        let _ = inner.server.set((self.said, self.info));
        let old = inner.legacy.get_or_init(|| old);
        {
            let mut exchange = inner.peer.exchange();
            exchange.agree_on(self.revision.as_str());
            exchange.liberties.batches = self.revision == Revision::V2025_03_26;
        }
        old.notify(client, INITIALIZED);
        listen::listen(client);
        if let Some(level) = inner.defaults.log_level {
            old.want_level(client, level).await;
        }
        Ok(())
    }
}

async fn negotiate(
    client: &Client,
    revision: Revision,
    patience: Duration,
) -> Result<Agreed, Error> {
    // What comes before the answer waits until it is known what the server may ask.
    client.inner.peer.exchange().liberties.unasked = true;
    let answered = ask(client, revision, patience).await;
    let agreed = answered.and_then(|result| read(&result));
    if agreed.is_err() && client.inner.legacy().is_none() {
        client.inner.peer.exchange().liberties.unasked = false;
    }
    agreed
}

async fn ask(
    client: &Client,
    revision: Revision,
    patience: Duration,
) -> Result<Box<RawValue>, Error> {
    let inner = &client.inner;
    let params = json!({
        "protocolVersion": revision.as_str(),
        "capabilities": capabilities::to_json(&inner.capabilities, revision),
        "clientInfo": capabilities::client_info(&inner.identity, revision),
    });
    let offered = revision.as_str();
    let refused = |error: RpcError| Error::Handshake { offered, error };
    let answer = offered::initialize(client, &params, Some(offered), patience).await;
    answer.map_err(|error| match error {
        Error::UnsupportedVersion { theirs, .. } => Error::UnsupportedVersion {
            ours: offered,
            theirs,
        },
        Error::Rpc(error) | Error::MissingCapability { error, .. } => refused(error),
        error => error,
    })
}

fn read(result: &RawValue) -> Result<Agreed, Error> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Members {
        protocol_version: String,
        #[serde(default)]
        capabilities: ServerCapabilities,
        #[serde(default)]
        server_info: Value,
        #[serde(default)]
        instructions: Option<String>,
    }
    let invalid = |e: serde_json::Error| Error::InvalidResult {
        method: METHOD.to_owned(),
        reason: e.to_string(),
    };
    let members: Members = serde_json::from_str(result.get()).map_err(invalid)?;
    let version = members.protocol_version;
    let mut legacy = Revision::LEGACY.iter().copied();
    let Some(revision) = legacy.find(|revision| revision.as_str() == version) else {
        return Err(Error::UnsupportedVersion {
            ours: SPOKEN,
            theirs: vec![version],
        });
    };
    let mut said = json!({
        "supportedVersions": [version],
        "capabilities": members.capabilities,
        "_meta": { key::SERVER_INFO: members.server_info },
    });
    if let Some(instructions) = members.instructions {
        said["instructions"] = instructions.into();
    }
    Ok(Agreed {
        revision,
        capabilities: members.capabilities,
        info: serde_json::from_value(members.server_info).ok(),
        said: serde_json::from_value(said).map_err(invalid)?,
    })
}

/// The newest of these that has a handshake and is spoken here.
fn newest_of(names: &[String]) -> Option<Revision> {
    let mut legacy = Revision::LEGACY.iter().rev().copied();
    legacy.find(|revision| names.iter().any(|name| name == revision.as_str()))
}

/// The versions that an error names (2025-11-25: basic/lifecycle, Error Handling).
fn named(error: &RpcError) -> Vec<String> {
    let supported = error.data.as_ref().and_then(|data| data.get("supported"));
    let names = supported.and_then(Value::as_array).into_iter().flatten();
    names
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_all_that_is_spoken() {
        let names: Vec<&str> = Revision::SUPPORTED.iter().map(|r| r.as_str()).collect();
        assert_eq!(SPOKEN, names.join(", "));
        assert_eq!(Revision::LEGACY.last(), Some(&NEWEST));
    }
}
