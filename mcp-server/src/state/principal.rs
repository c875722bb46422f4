//! Who makes a call, as far as a state is bound to them.

use super::record::{Reader, Writer};

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

/// The kinds, in the order of their numbers in a state, each as it begins in the readable form.
const KINDS: [&str; 3] = [r#""l""#, r#""n""#, r#"{"c":{"i":"#];

impl Principal {
    pub(super) fn write(&self, to: &mut Writer) {
        match self {
            Self::Local => to.tag(&KINDS, 0),
            Self::Anonymous => to.tag(&KINDS, 1),
            Self::Caller {
                issuer,
                subject,
                client,
            } => {
                to.tag(&KINDS, 2);
                to.text(issuer);
                to.mark(r#","s":"#);
                to.text(subject);
                to.mark(r#","c":"#);
                to.optional(client.as_deref());
                to.mark("}}");
            }
        }
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Option<Self> {
        Some(match from.tag(&KINDS)? {
            0 => Self::Local,
            1 => Self::Anonymous,
            _ => {
                let issuer = from.text()?.into_owned();
                from.mark(r#","s":"#)?;
                let subject = from.text()?.into_owned();
                from.mark(r#","c":"#)?;
                let client = from.optional()?;
                from.mark("}}")?;
                Self::Caller {
                    issuer,
                    subject,
                    client,
                }
            }
        })
    }
}
