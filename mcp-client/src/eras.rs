//! Which revision servers spoke when they were connected to last.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use mcp_core::Revision;

/// Remembers which servers speak a revision with a handshake, so that they are not asked again in the way
/// of today: it costs a moment, and some of them end from it.
///
/// Clones share the memory, so one can be given to all clients of a program. It is in memory only, and
/// always just a first guess: a server that has learned a new revision is noticed.
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
    known: Arc<Mutex<HashMap<String, Revision>>>,
}

impl Eras {
    /// Nothing is known.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The revision that was spoken last with the server of this name.
    #[must_use]
    pub fn get(&self, server: &str) -> Option<Revision> {
        self.with(|known| known.get(server).copied())
    }

    /// Takes down what a server speaks, perhaps from a memory that lasts longer.
    pub fn set(&self, server: impl Into<String>, revision: Revision) {
        self.with(|known| known.insert(server.into(), revision));
    }

    fn with<T>(&self, act: impl FnOnce(&mut HashMap<String, Revision>) -> T) -> T {
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
