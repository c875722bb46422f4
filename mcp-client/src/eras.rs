//! Which revision servers spoke when they were connected to last.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mcp_core::Revision;
use tokio::time::Instant;

/// How long an older revision is believed.
const BELIEVED: Duration = Duration::from_secs(24 * 60 * 60);

/// Remembers which servers speak a revision with a handshake, so that they are not asked again in the way
/// of today: it costs a moment, and some of them end from it.
///
/// Clones share the memory, so one can be given to all clients of a program. It is in memory only. What a server
/// clearly said is remembered, not what it may have meant by silence; an older revision is believed for a day, and
/// less long by a server that takes no handshake any more.
///
/// ```
/// use mcp_client::{Client, Eras};
///
/// let eras = Eras::new();
/// let builder = Client::builder("support-host", "1.0.0").eras(&eras);
/// # drop(builder);
/// ```
///
/// A server is known by its URL or command; see
/// [`Transport::remembered_as`](crate::transport::Transport::remembered_as).
#[derive(Clone, Default)]
pub struct Eras {
    known: Arc<Mutex<HashMap<String, (Revision, Instant)>>>,
}

impl Eras {
    /// Nothing is known.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The revision that was spoken last with the server of this name; `None` if it is time to ask again.
    #[must_use]
    pub fn get(&self, server: &str) -> Option<Revision> {
        let (revision, since) = self.with(|known| known.get(server).copied())?;
        (!revision.is_legacy() || since.elapsed() < BELIEVED).then_some(revision)
    }

    /// Takes down what a server speaks, perhaps from a memory that lasts longer.
    pub fn set(&self, server: impl Into<String>, revision: Revision) {
        let entry = (revision, Instant::now());
        self.with(|known| known.insert(server.into(), entry));
    }

    fn with<T>(&self, act: impl FnOnce(&mut HashMap<String, (Revision, Instant)>) -> T) -> T {
        act(&mut self.known.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Commands may hold secrets: only how many servers are known is shown.
impl fmt::Debug for Eras {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = self.with(|known| known.len());
        f.debug_struct("Eras").field("servers", &known).finish()
    }
}
