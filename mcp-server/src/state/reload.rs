//! A codec whose keys can change while the server runs.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use super::codec::StateCodec;
use super::key::KeyError;
use super::ring::KeyRing;
use super::source::KeySource;

/// Prepares a codec for a ring.
pub(super) type MakeCodec = fn(&KeyRing) -> Result<Arc<dyn StateCodec>, KeyError>;

/// The codec of the last good ring, and where the next one comes from.
pub(super) struct ReloadingCodec {
    source: Arc<dyn KeySource>,
    make: MakeCodec,
    current: RwLock<Current>,
    /// When the source was last looked at.
    looked: Mutex<SystemTime>,
    /// Whether a call is loading: the others go on with the keys that are there.
    loading: AtomicBool,
}

#[derive(Clone)]
struct Current {
    ring: KeyRing,
    codec: Arc<dyn StateCodec>,
}

impl ReloadingCodec {
    pub(super) fn new(
        ring: KeyRing,
        source: Arc<dyn KeySource>,
        make: MakeCodec,
        now: SystemTime,
    ) -> Result<Self, KeyError> {
        let codec = make(&ring)?;
        Ok(Self {
            source,
            make,
            current: RwLock::new(Current { ring, codec }),
            looked: Mutex::new(now),
            loading: AtomicBool::new(false),
        })
    }

    pub(super) fn codec(&self) -> Arc<dyn StateCodec> {
        self.current
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .codec
            .clone()
    }

    /// Loads the keys if it is time to look and they may have changed. Trouble is logged, and the last good ring stays.
    pub(super) async fn refresh(&self, now: SystemTime) {
        if !self.is_due(now) || self.loading.swap(true, Ordering::Acquire) {
            return;
        }
        // Also when this future is dropped at the await below.
        let _done = Done(&self.loading);
        if !self.source.changed() {
            return;
        }
        match self.load().await {
            Ok(false) => {}
            Ok(true) => {
                tracing::info!(target: "mcp_server::request_state", "the requestState keys were changed")
            }
            Err(error) => tracing::error!(
                target: "mcp_server::request_state",
                %error,
                "the new requestState keys cannot be used: the last good ones stay"
            ),
        }
    }

    /// Gives whether the keys were others than before.
    async fn load(&self) -> Result<bool, KeyError> {
        let ring = KeyRing::new(self.source.load().await?)?;
        if self
            .current
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .ring
            .same_as(&ring)
        {
            return Ok(false);
        }
        let codec = (self.make)(&ring)?;
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Current { ring, codec };
        Ok(true)
    }

    fn is_due(&self, now: SystemTime) -> bool {
        let Some(every) = self.source.refresh_every() else {
            return false;
        };
        let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        // A clock that was set back must not stop the looking.
        let elapsed = now.duration_since(*looked).unwrap_or(Duration::MAX);
        let due = elapsed >= every;
        if due {
            *looked = now;
        }
        due
    }
}

struct Done<'a>(&'a AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests;
