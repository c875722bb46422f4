//! Requests whose answer comes on another stream than their own. Their own may never end.

use std::collections::HashMap;
use std::future::pending;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

type Waiter = oneshot::Sender<Vec<u8>>;

/// The requests that have no answer yet.
#[derive(Default)]
pub(super) struct Elsewhere(Mutex<HashMap<u64, Waiter>>);

/// A request that waits. One that is given up, or answered on its own stream, waits no more.
pub(super) struct Waits<'a> {
    all: &'a Elsewhere,
    id: u64,
    answer: oneshot::Receiver<Vec<u8>>,
}

impl Elsewhere {
    pub(super) fn wait(&self, id: u64) -> Waits<'_> {
        let (waiter, answer) = oneshot::channel();
        self.lock().insert(id, waiter);
        Waits {
            all: self,
            id,
            answer,
        }
    }

    /// Whoever waits for the answer to this request.
    pub(super) fn waiter(&self, id: u64) -> Option<Waiter> {
        self.lock().remove(&id)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Waiter>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waits<'_> {
    /// The answer, where it comes on another stream.
    pub(super) async fn answer(&mut self) -> Vec<u8> {
        match (&mut self.answer).await {
            Ok(message) => message,
            Err(_) => pending().await,
        }
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.all.waiter(self.id);
    }
}
