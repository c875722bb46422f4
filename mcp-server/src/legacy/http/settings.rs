//! What an operator may set for clients that have sessions.

use std::time::Duration;

use super::{sessions::Sessions, store::Limits};
use crate::transport::http::StreamableHttp;

impl StreamableHttp {
    /// How long a session of an earlier revision is kept while its client does nothing. 30 minutes by default.
    ///
    /// A session is not idle while one of its requests is under way, or while its client listens. One that has gone is
    /// answered with 404, whereupon a client begins another. Clients of today have no sessions.
    ///
    /// Specification: 2025-11-25, basic/transports, Session Management.
    #[must_use]
    pub fn session_idle(self, time: Duration) -> Self {
        self.with_limits(|limits| limits.idle = time)
    }

    /// How many sessions of earlier revisions there may be. 10,000 by default.
    ///
    /// For a further one, the one that was idle longest goes; those with a request under way stay, and where there are no
    /// others, a new client is answered with 503. With 0 there are none: clients of earlier revisions are told which are
    /// spoken.
    #[must_use]
    pub fn max_sessions(self, sessions: usize) -> Self {
        self.with_limits(|limits| limits.sessions = sessions)
    }

    /// Ends each connection of a client of revision 2025-11-25 after this time, for the client to come again and go on
    /// where it was: so that no connection lasts longer than a proxy lets it. Off by default.
    ///
    /// Calls go on meanwhile, and nothing is lost. A function can do the same by itself with
    /// [`Context::close_stream`](crate::Context::close_stream).
    ///
    /// Specification: 2025-11-25, basic/transports, Sending Messages to the Server.
    #[must_use]
    pub fn close_streams_after(self, time: Duration) -> Self {
        self.with(|endpoint| endpoint.earlier.leave_after = Some(time))
    }

    /// How many sessions of earlier revisions there are, for an operator's metrics.
    #[must_use]
    pub fn sessions(&self) -> usize {
        self.0.earlier.sessions.len()
    }

    fn with_limits(self, change: impl FnOnce(&mut Limits)) -> Self {
        self.with(|endpoint| {
            let mut limits = endpoint.earlier.sessions.limits();
            change(&mut limits);
            endpoint.earlier.sessions = Sessions::new(limits);
        })
    }
}
