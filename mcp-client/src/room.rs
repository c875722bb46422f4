//! [`Room`]: how much text may wait for somebody who is slow.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Room for [`BYTES`](Self::BYTES), which each text gives back when it is done with.
#[derive(Clone, Debug)]
pub(crate) struct Room(Arc<Semaphore>);

impl Room {
    /// As much as one message has on any transport unless it is set.
    pub(crate) const BYTES: usize = crate::transport::DEFAULT_MAX_MESSAGE;

    pub(crate) fn new() -> Self {
        Self(Arc::new(Semaphore::new(Self::BYTES)))
    }

    /// Room for a text of this length, if there is so much. What is longer than all of it takes all of it.
    pub(crate) fn take(&self, bytes: usize) -> Option<OwnedSemaphorePermit> {
        let bytes = u32::try_from(bytes.min(Self::BYTES)).unwrap_or(u32::MAX);
        Arc::clone(&self.0).try_acquire_many_owned(bytes).ok()
    }
}
