//! Why a claim was refused, in words for whoever called.

use super::ClaimKey;

/// Why a call must not run. The texts are for the caller, as a tool error; they tell nothing about the guard.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClaimRefused {
    /// A call with this key is in flight.
    #[error("still running: the same call is being carried out, wait for its result")]
    StillRunning,
    /// A call with this key has returned its result.
    #[error("already done: the same call was carried out before, nothing was done again")]
    AlreadyDone,
    /// A call with this key has failed. Of an exchange the caller is told to begin a new one.
    #[error(
        "failed before: it may have had its effect; check before trying again, \
         the same call is not carried out a second time"
    )]
    Failed,
    /// No room for another claim, and live ones are never dropped.
    #[error("not done: the server cannot take more calls of this kind now, try again later")]
    Full,
    /// The guard cannot be reached, so nothing can be said.
    #[error(
        "not done: the server cannot make sure that this happens only once now, try again later"
    )]
    Unavailable(#[source] GuardError),
}

impl ClaimRefused {
    /// What the caller of a tool is told.
    pub(crate) fn text(&self, key: &ClaimKey) -> String {
        match self {
            // A new call is a new exchange: there a person is asked, who can look first.
            Self::Failed if key.is_exchange() => {
                "failed: call again and the person is asked anew".to_owned()
            }
            _ => self.to_string(),
        }
    }
}

/// Why a guard could not do its work, for the log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the once-only guard failed: {reason}")]
pub struct GuardError {
    /// What happened.
    pub reason: String,
}

impl GuardError {
    /// An error with this reason.
    pub fn new(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
        }
    }
}
