//! What a call claims, so that its effect happens once, and how its claims end.

use std::{
    sync::atomic::Ordering,
    time::{Duration, SystemTime},
};

use super::Context;
use crate::{
    error::ToolError,
    once::{ClaimKey, ClaimRefused, Finished},
    state::SKEW,
};

impl Context {
    /// Claims a key just before an effect that must happen once, for tools that ask by hand.
    ///
    /// The claim ends with the call: done, or failed where the tool returns an error. The key may
    /// come up again in later calls, so it is kept for a whole lifetime of a state from now on
    /// ([`request_state_lifetime`](crate::Builder::request_state_lifetime)), and for the 60 seconds
    /// that clocks may differ.
    ///
    /// # Errors
    ///
    /// A tool error that says why the call must not run: still running, already done, failed
    /// before, or that nobody can tell.
    pub async fn claim(&self, key: impl std::fmt::Display) -> Result<(), ToolError> {
        self.server().warn_of_claims_apart(self.name());
        let lifetime = self.server().states().lifetime() + Duration::from_secs(SKEW);
        let a_lifetime = SystemTime::now() + lifetime;
        let of_state = self.exchange().verified.map(|stamp| stamp.claim_until());
        let until = of_state.map_or(a_lifetime, |until| until.max(a_lifetime));
        let key = ClaimKey::new(self.name(), key);
        self.claim_until(key, until).await
    }

    /// Claims this exchange. One that has no verified state cannot be played again.
    pub(crate) async fn claim_exchange(&self) -> Result<(), ToolError> {
        let claim = self.exchange().verified.map(|stamp| {
            let key = ClaimKey::exchange(self.name(), stamp.exchange);
            (key, stamp.claim_until())
        });
        match claim {
            Some((key, until)) => self.claim_until(key, until).await,
            None => Ok(()),
        }
    }

    /// Claims a key of the tool's for the period that the server sets.
    pub(crate) async fn claim_key(&self, key: String) -> Result<(), ToolError> {
        let until = SystemTime::now() + self.inner.server.options().once_period;
        self.claim_until(ClaimKey::new(self.name(), key), until)
            .await
    }

    async fn claim_until(&self, key: ClaimKey, until: SystemTime) -> Result<(), ToolError> {
        // From here on a cancel must not drop the call, or the claim would stay in flight. A count,
        // because a body may claim several keys at once and be refused some of them.
        self.inner.claimed.fetch_add(1, Ordering::AcqRel);
        match self.inner.server.guard().claim(&key, until).await {
            Ok(claimed) => {
                self.exchange().claims.push((key, claimed));
                Ok(())
            }
            Err(refused) => {
                // The round that it belonged to may have ended meanwhile, and been forgotten.
                let _ = self.inner.claimed.fetch_update(
                    Ordering::AcqRel,
                    Ordering::Acquire,
                    |claimed| claimed.checked_sub(1),
                );
                if let ClaimRefused::Unavailable(error) = &refused {
                    tracing::error!(tool = self.name(), %error, "the once-only guard is unavailable");
                }
                Err(ToolError::new(refused.text(&key)))
            }
        }
    }

    /// Ends what was claimed for the call.
    pub(crate) async fn finish_claims(&self, how: Finished) {
        let claims = std::mem::take(&mut self.exchange().claims);
        for (key, claimed) in claims {
            if let Err(error) = self.inner.server.guard().finish(&key, claimed, how).await {
                tracing::error!(tool = self.name(), %error, "a claim could not be finished");
            }
        }
    }

    /// A round has ended, and with it what it had claimed; the call goes on.
    pub(crate) fn forget_claims(&self) {
        self.inner.claimed.store(0, Ordering::Release);
    }

    pub(crate) fn has_claims(&self) -> bool {
        self.inner.claimed.load(Ordering::Acquire) > 0
    }
}
