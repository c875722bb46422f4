//! Who makes a call, as far as a state is bound to them.

use serde::{Deserialize, Serialize};

/// Who makes a call.
///
/// A state opens only for the principal it was sealed for; any change, also of kind, refuses it. The access token is
/// not part of it, so the same user goes on after the token was renewed.
///
/// Specification: basic/patterns/mrtr, Server Requirements.
///
/// ```
/// use mcp_server::state::Principal;
///
/// let alice = Principal::caller("https://login.example", "alice", Some("desk-host"));
/// assert_ne!(alice, Principal::caller("https://login.example", "bob", Some("desk-host")));
/// assert_ne!(alice, Principal::Anonymous);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Principal {
    /// Whoever started the process: stdio and in-process transports.
    Local,
    /// A caller over HTTP of whom nothing is known.
    Anonymous,
    /// A caller who was authenticated.
    Caller {
        /// Who vouches for the subject: the token's `iss`.
        issuer: String,
        /// The user: the token's `sub`.
        subject: String,
        /// The client that acts for the user, where the token names one.
        client: Option<String>,
    },
}

impl Principal {
    /// An authenticated caller.
    #[must_use]
    pub fn caller(
        issuer: impl Into<String>,
        subject: impl Into<String>,
        client: Option<&str>,
    ) -> Self {
        Self::Caller {
            issuer: issuer.into(),
            subject: subject.into(),
            client: client.map(Into::into),
        }
    }
}

/// The form inside the state. It is private, so that the public type promises no serialisation.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Principal", deny_unknown_fields)]
pub(crate) enum SealedPrincipal {
    #[serde(rename = "l")]
    Local,
    #[serde(rename = "n")]
    Anonymous,
    #[serde(rename = "c")]
    Caller {
        #[serde(rename = "i")]
        issuer: String,
        #[serde(rename = "s")]
        subject: String,
        #[serde(rename = "c", deserialize_with = "Option::deserialize")]
        client: Option<String>,
    },
}
