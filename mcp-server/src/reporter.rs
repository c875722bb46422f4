//! What a call sends before its result: progress and log messages.
//!
//! Specification: basic/patterns/progress, server/utilities/logging.

use std::{
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context as Task, Poll},
};

use mcp_core::{
    protocol::{LoggingLevel, ProgressNotificationParams},
    rpc::{ProgressToken, write_notification},
};
use serde::Serialize;

/// Where a call's messages go. A transport implements it; it knows no method.
pub(crate) trait Outgoing: Send + Sync {
    /// Takes one whole message of a call, without a line's end. It may be left out where the client does not read.
    fn send(&self, call: u64, message: Vec<u8>);

    /// Takes a message that must not be left out. Whoever sends many asks for room first.
    fn deliver(&self, call: u64, message: Vec<u8>) {
        self.send(call, message);
    }

    /// Waits until the client has read enough for more to be delivered.
    fn poll_room(&self, _call: u64, _cx: &mut Task<'_>) -> Poll<()> {
        Poll::Ready(())
    }

    /// Ends the connection of a call's stream, where the client can come again for the rest.
    fn close_stream(&self, _call: u64) {}

    /// Whether the messages of other requests go the same way, so that the end of this one is not seen by itself.
    fn is_shared(&self) -> bool {
        false
    }
}

/// A number that tells the messages of one request from those of others.
pub(crate) fn next_number() -> u64 {
    static NUMBERS: AtomicU64 = AtomicU64::new(1);
    NUMBERS.fetch_add(1, Ordering::Relaxed)
}

/// How far a call is.
///
/// ```
/// use mcp_server::Progress;
///
/// let progress = Progress::new(3.0).total(8.0).message("packing");
/// assert_eq!(Progress::from((3.0, 8.0)).message("packing"), progress);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// How much is done, in a unit of the tool's choice. It must grow from one report to the next.
    pub progress: f64,
    /// How much there is to do, in the same unit.
    pub total: Option<f64>,
    /// What is going on, for a person.
    pub message: Option<String>,
}

impl Progress {
    /// So much is done.
    pub fn new(progress: f64) -> Self {
        Self {
            progress,
            total: None,
            message: None,
        }
    }

    /// Of so much in all.
    #[must_use]
    pub fn total(mut self, total: f64) -> Self {
        self.total = Some(total);
        self
    }

    /// With a word on what is going on.
    #[must_use]
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }
}

impl From<f64> for Progress {
    fn from(progress: f64) -> Self {
        Self::new(progress)
    }
}

impl From<(f64, f64)> for Progress {
    fn from((progress, total): (f64, f64)) -> Self {
        Self::new(progress).total(total)
    }
}

/// Sends what the request asked for, until its result is out.
pub(crate) struct Reporter {
    token: Option<ProgressToken>,
    level: Option<LoggingLevel>,
    /// Tells the messages of this call from those of others.
    call: u64,
    out: Arc<dyn Outgoing>,
    sent: Mutex<Sent>,
}

#[derive(Debug, Default)]
struct Sent {
    progress: Option<f64>,
    closed: bool,
}

impl fmt::Debug for Reporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reporter")
            .field("token", &self.token)
            .field("level", &self.level)
            .finish_non_exhaustive()
    }
}

impl Reporter {
    /// A reporter where the request asks for progress or log messages; most ask for neither.
    pub(crate) fn wanted(
        token: Option<ProgressToken>,
        level: Option<LoggingLevel>,
        out: &Arc<dyn Outgoing>,
    ) -> Option<Self> {
        (token.is_some() || level.is_some()).then(|| Self {
            call: next_number(),
            token,
            level,
            out: Arc::clone(out),
            sent: Mutex::default(),
        })
    }

    /// Sends progress, if the client gave a token and it has grown.
    pub(crate) fn progress(&self, progress: Progress) {
        let Some(token) = &self.token else { return };
        let mut sent = self.lock();
        let grown = sent.progress.is_none_or(|last| progress.progress > last);
        if sent.closed || !grown || !progress.progress.is_finite() {
            return;
        }
        sent.progress = Some(progress.progress);
        let params = ProgressNotificationParams {
            total: progress.total.filter(|total| total.is_finite()),
            message: progress.message,
            ..ProgressNotificationParams::new(token.clone(), progress.progress)
        };
        self.send("notifications/progress", &params);
    }

    /// Sends a log message, if the request asked for its level.
    pub(crate) fn log(&self, level: LoggingLevel, logger: Option<&str>, data: &impl Serialize) {
        #[derive(Serialize)]
        struct Params<'a, D> {
            level: LoggingLevel,
            #[serde(skip_serializing_if = "Option::is_none")]
            logger: Option<&'a str>,
            data: &'a D,
        }
        if self.level.is_none_or(|least| level < least) {
            return;
        }
        let sent = self.lock();
        if !sent.closed {
            self.send(
                "notifications/message",
                &Params {
                    level,
                    logger,
                    data,
                },
            );
        }
    }

    /// Ends the connection, where the client can come again.
    pub(crate) fn close_stream(&self) {
        self.out.close_stream(self.call);
    }

    pub(crate) fn call(&self) -> u64 {
        self.call
    }

    /// Nothing is sent any more: the result is on its way, or the client has given up.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
    }

    /// Called with the lock held, so that nothing overtakes and nothing follows the result.
    fn send(&self, method: &str, params: &impl Serialize) {
        let mut message = Vec::with_capacity(128);
        write_notification(&mut message, method, params);
        self.out.send(self.call, message);
    }

    fn lock(&self) -> MutexGuard<'_, Sent> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
