//! [`Shutdown`]: ends serving in good order.

use std::fmt;

use crate::server::Server;

/// Ends a server in good order, on every transport that serves it.
///
/// Nothing new is read once it has begun. Subscriptions end with a result; calls under way may finish within
/// [`drain_grace`](crate::Builder::drain_grace), or [`claimed_grace`](crate::Builder::claimed_grace) where they have claimed
/// something. Then what serves, such as [`serve_stdio`](Server::serve_stdio), returns.
///
/// Specification: basic/patterns/subscriptions, Graceful Closure.
///
/// ```
/// use mcp_server::prelude::*;
///
/// /// Answers.
/// #[tool]
/// async fn ping() -> &'static str {
///     "pong"
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let server = Server::builder("ponger", "1.0.0").tools(tools![ping]).build()?;
/// let shutdown = server.shutdown();
/// # let _client;
/// # let (reader, writer) = { let (ours, theirs) = tokio::io::duplex(64); _client = theirs; tokio::io::split(ours) };
/// tokio::spawn(async move {
///     // In a program: a signal.
///     tokio::task::yield_now().await;
///     shutdown.begin();
/// });
/// // Returns, although the client has not closed the stream.
/// server.serve(reader, writer).await.expect("a stream in memory does not fail");
/// # Ok::<(), mcp_server::BuildError>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct Shutdown {
    server: Server,
}

impl Shutdown {
    pub(crate) fn new(server: Server) -> Self {
        Self { server }
    }

    /// Begins. Once is enough, and it cannot be taken back.
    pub fn begin(&self) {
        let inner = self.server.inner();
        inner.shutdown.cancel();
        inner.hub.close();
    }

    /// Whether it has begun.
    pub fn has_begun(&self) -> bool {
        self.server.inner().shutdown.is_cancelled()
    }

    /// Returns once it has begun. For whoever serves a server's messages over a transport of their own.
    pub async fn begun(&self) {
        self.server.inner().shutdown.cancelled().await;
    }
}

impl fmt::Debug for Shutdown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shutdown")
            .field("has_begun", &self.has_begun())
            .finish_non_exhaustive()
    }
}
