//! What a call may take, as the builder sets it for all calls or a host for one.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mcp_core::protocol::LoggingLevel;
use mcp_core::protocol::meta::key;
use serde_json::{Map, Value};

use crate::exchange::Progress;

/// Called with each progress report, on the task that waits for the call.
pub(crate) type ProgressHandler = Arc<dyn Fn(Progress) + Send + Sync>;

/// Limits and extras of one call; what is not set comes from the builder.
///
/// ```
/// # use std::time::Duration;
/// # use mcp_client::CallOptions;
/// let options = CallOptions::new()
///     .request_timeout(Duration::from_secs(300))
///     .on_progress(|report| println!("{}", report.progress));
/// # drop(options);
/// ```
#[derive(Clone, Default)]
pub struct CallOptions {
    pub(crate) request_timeout: Option<Option<Duration>>,
    pub(crate) progress_ceiling: Option<Duration>,
    pub(crate) overall_deadline: Option<Duration>,
    pub(crate) max_rounds: Option<u32>,
    pub(crate) progress: Option<ProgressHandler>,
    pub(crate) log_level: Option<LoggingLevel>,
    pub(crate) meta: Map<String, Value>,
}

impl CallOptions {
    /// Nothing set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// See [`Builder::request_timeout`](crate::Builder::request_timeout).
    #[must_use]
    pub fn request_timeout(mut self, timeout: Duration) -> Self {
        self.request_timeout = Some(Some(timeout));
        self
    }

    /// See [`Builder::without_request_timeout`](crate::Builder::without_request_timeout).
    #[must_use]
    pub fn without_request_timeout(mut self) -> Self {
        self.request_timeout = Some(None);
        self
    }

    /// See [`Builder::progress_extends_timeout`](crate::Builder::progress_extends_timeout).
    #[must_use]
    pub fn progress_extends_timeout(mut self, ceiling: Duration) -> Self {
        self.progress_ceiling = Some(ceiling);
        self
    }

    /// See [`Builder::overall_deadline`](crate::Builder::overall_deadline).
    #[must_use]
    pub fn overall_deadline(mut self, limit: Duration) -> Self {
        self.overall_deadline = Some(limit);
        self
    }

    /// See [`Builder::max_rounds`](crate::Builder::max_rounds).
    #[must_use]
    pub fn max_rounds(mut self, rounds: u32) -> Self {
        self.max_rounds = Some(rounds);
        self
    }

    /// See [`Builder::on_progress`](crate::Builder::on_progress).
    #[must_use]
    pub fn on_progress(mut self, handler: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        self.progress = Some(Arc::new(handler));
        self
    }

    /// Asks for log messages of this call, at or above `level`.
    #[must_use]
    pub fn log_level(mut self, level: LoggingLevel) -> Self {
        self.log_level = Some(level);
        self
    }

    /// Adds an entry to the `_meta` of every request of this call, such as `traceparent`. The
    /// protocol's own entries cannot be replaced.
    #[must_use]
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.meta.insert(key.into(), value.into());
        self
    }

    /// These options, with what is not set taken from `defaults`.
    pub(crate) fn or(mut self, defaults: &Self) -> Self {
        self.request_timeout = self.request_timeout.or(defaults.request_timeout);
        self.progress_ceiling = self.progress_ceiling.or(defaults.progress_ceiling);
        self.overall_deadline = self.overall_deadline.or(defaults.overall_deadline);
        self.max_rounds = self.max_rounds.or(defaults.max_rounds);
        self.progress = self.progress.or_else(|| defaults.progress.clone());
        self.log_level = self.log_level.or(defaults.log_level);
        for (key, value) in &defaults.meta {
            self.meta.entry(key).or_insert_with(|| value.clone());
        }
        self
    }

    /// Whether the entries of `_meta` say no more than which trace a request belongs to.
    pub(crate) fn has_only_traces(&self) -> bool {
        let traces = [key::TRACEPARENT, key::TRACESTATE, key::BAGGAGE];
        self.meta.keys().all(|key| traces.contains(&key.as_str()))
    }

    /// Whether reports are of any use, so that a token is sent.
    pub(crate) fn wants_progress(&self) -> bool {
        self.progress.is_some() || self.progress_ceiling.is_some()
    }
}

impl fmt::Debug for CallOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallOptions")
            .field("request_timeout", &self.request_timeout)
            .field("progress_ceiling", &self.progress_ceiling)
            .field("overall_deadline", &self.overall_deadline)
            .field("max_rounds", &self.max_rounds)
            .field("progress", &self.progress.is_some())
            .field("log_level", &self.log_level)
            // Entries such as a bearer token are nobody else's business.
            .field("meta", &self.meta.keys().collect::<Vec<_>>())
            .finish()
    }
}
