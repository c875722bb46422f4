//! Describes a client, then connects it.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use mcp_core::Revision;
use mcp_core::protocol::{
    CreateMessageResult, Implementation, ListRootsResult, LoggingLevel,
    LoggingMessageNotificationParams,
};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::cache::{Cache, Partition, SharedCache};
use crate::capabilities::Capabilities;
use crate::client::{Client, DEFAULT_MAX_ROUNDS};
use crate::connect::Plan;
use crate::eras::Eras;
use crate::error::{Error, HandlerError};
use crate::excerpt::Excerpt;
use crate::exchange::Progress;
use crate::handlers::{Handlers, handler};
use crate::options::CallOptions;
use crate::peer::{LogQueue, LogSink};
use crate::question::{
    Answer, Consent, FormQuestion, Kind, RootsQuestion, SamplingQuestion, UrlQuestion,
};
use crate::tally::Tally;
use crate::transport::Transport;

/// A client to be.
///
/// What it declares to servers follows from the handlers it is given.
#[must_use]
pub struct Builder {
    identity: Implementation,
    capabilities: Capabilities,
    handlers: Handlers,
    defaults: CallOptions,
    log: Option<LogSink>,
    concurrent: bool,
    validates_output: bool,
    probe: Duration,
    probes: bool,
    cache: Option<SharedCache>,
    partition: Option<String>,
    revision: Option<Revision>,
    eras: Option<Eras>,
    /// What is wrong with what was declared.
    faults: Vec<String>,
}

impl Builder {
    pub(crate) fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        let defaults = CallOptions::new()
            .request_timeout(Duration::from_secs(60))
            .max_rounds(DEFAULT_MAX_ROUNDS);
        Self {
            identity: Implementation::new(name, version),
            capabilities: Capabilities::default(),
            handlers: Handlers::default(),
            defaults,
            log: None,
            concurrent: false,
            validates_output: true,
            probe: Duration::from_secs(30),
            probes: true,
            cache: Some(SharedCache::new()),
            partition: None,
            revision: None,
            eras: None,
            faults: Vec::new(),
        }
    }

    /// Says more about the client than its name and version.
    pub fn identity(mut self, identity: Implementation) -> Self {
        self.identity = identity;
        self
    }

    /// Shows forms to a person; declares `elicitation.form`.
    ///
    /// An accepted answer is checked against the form before it is sent. An `Err` ends the call
    /// with [`Error::Handler`]: it is not a decline.
    ///
    /// A handler must not wait for a call of the same client that asks in turn: questions come one at
    /// a time, and its own is not over. Such a call fails with [`Error::Handler`], unless
    /// [`concurrent_questions`](Self::concurrent_questions) is set.
    pub fn on_form<F, Fut>(mut self, callback: F) -> Self
    where
        F: Fn(FormQuestion) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Answer, HandlerError>> + Send + 'static,
    {
        self.handlers.form = handler(callback);
        self.declare(Kind::Form)
    }

    /// Offers a person to open a page; declares `elicitation.url`.
    pub fn on_url<F, Fut>(mut self, callback: F) -> Self
    where
        F: Fn(UrlQuestion) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Consent, HandlerError>> + Send + 'static,
    {
        self.handlers.url = handler(callback);
        self.declare(Kind::Url)
    }

    /// Completes messages with the host's model; declares `sampling`. Deprecated in the protocol.
    pub fn on_sampling<F, Fut>(mut self, callback: F) -> Self
    where
        F: Fn(SamplingQuestion) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<CreateMessageResult, HandlerError>> + Send + 'static,
    {
        self.handlers.sampling = handler(callback);
        self.declare(Kind::Sampling)
    }

    /// Declares that the sampling handler understands tools (`sampling.tools`).
    pub fn sampling_tools(mut self) -> Self {
        self.capabilities.declare_sampling_tools();
        self
    }

    /// Tells the host's directories; declares `roots`. Deprecated in the protocol.
    pub fn on_roots<F, Fut>(mut self, callback: F) -> Self
    where
        F: Fn(RootsQuestion) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<ListRootsResult, HandlerError>> + Send + 'static,
    {
        self.handlers.roots = handler(callback);
        self.declare(Kind::Roots)
    }

    /// Declares a kind of input without a handler, for a host that answers it in sessions.
    pub fn declare(mut self, kind: Kind) -> Self {
        self.capabilities.declare(kind);
        self
    }

    /// Declares on every request that this client has an extension of the protocol, with its settings: an object, which
    /// is empty where there are none. Its name is a prefix that belongs to whoever defines the extension, and a name.
    ///
    /// Servers of revisions with a handshake are not told, for there are no extensions there.
    ///
    /// ```
    /// use mcp_client::Client;
    /// use serde_json::json;
    ///
    /// let builder = Client::builder("support-host", "1.0.0")
    ///     .extension("com.example/charts", json!({"width": 800}))
    ///     .extension("com.example/maps", json!({}));
    /// ```
    ///
    /// A name that the protocol does not allow, or settings that are no object, are an error of
    /// [`connect`](Self::connect).
    ///
    /// Specification: basic/versioning, Extension Negotiation.
    pub fn extension(mut self, name: impl Into<String>, settings: impl Into<Value>) -> Self {
        let declared = self
            .capabilities
            .declare_extension(name.into(), settings.into());
        self.faults.extend(declared.err());
        self
    }

    /// Asks for progress reports on every request. The handler runs on the task that waits for the
    /// call, so what it does delays that call alone.
    pub fn on_progress(mut self, callback: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        self.defaults.progress = Some(Arc::new(callback));
        self
    }

    /// Asks for log messages at or above `level` on every request. They do not say which call they
    /// belong to. If the handler is slow, messages are dropped. Deprecated in the protocol.
    pub fn on_log(
        mut self,
        level: LoggingLevel,
        callback: impl Fn(LoggingMessageNotificationParams) + Send + 'static,
    ) -> Self {
        self.defaults.log_level = Some(level);
        let ignored = Tally::default();
        self.log = Some(Box::new(
            move |params: &RawValue| match serde_json::from_str(params.get()) {
                Ok(message) => callback(message),
                Err(error) => {
                    if ignored.is_first("a malformed log message") {
                        let error = Excerpt(error);
                        tracing::warn!(target: "mcp_client", %error, "a malformed log message");
                    }
                }
            },
        ));
        self
    }

    /// How many requests one call may take, the first included; 10 unless set.
    pub fn max_rounds(mut self, rounds: u32) -> Self {
        self.defaults.max_rounds = Some(rounds);
        self
    }

    /// How long one request may take; 60 seconds unless set. Each round is a request of its own, and where
    /// a server asks on the open call the clock stands, so the time people take to answer does not count. On
    /// expiry the request is cancelled.
    pub fn request_timeout(mut self, timeout: Duration) -> Self {
        self.defaults.request_timeout = Some(Some(timeout));
        self
    }

    /// Lets requests take as long as they like.
    pub fn without_request_timeout(mut self) -> Self {
        self.defaults.request_timeout = Some(None);
        self
    }

    /// Restarts the request timeout with each progress report, up to `ceiling` for one request.
    /// Reports are asked for even without a progress handler.
    pub fn progress_extends_timeout(mut self, ceiling: Duration) -> Self {
        self.defaults.progress_ceiling = Some(ceiling);
        self
    }

    /// How long a whole call may take, with all its rounds, pauses and questions to people. Not
    /// limited unless set.
    pub fn overall_deadline(mut self, limit: Duration) -> Self {
        self.defaults.overall_deadline = Some(limit);
        self
    }

    /// Asks the questions of a round, and of calls that run side by side, at the same time. Without
    /// it a person gets one question at a time.
    pub fn concurrent_questions(mut self) -> Self {
        self.concurrent = true;
        self
    }

    /// Takes structured results as they come, without validating them against output schemas.
    pub fn without_output_validation(mut self) -> Self {
        self.validates_output = false;
        self
    }

    /// How long the server may take to answer the first `server/discover`, its start included;
    /// 30 seconds unless set. One that does not answer is asked in the way of older revisions, and has the
    /// same time again.
    pub fn probe_timeout(mut self, timeout: Duration) -> Self {
        self.probe = timeout;
        self.probes = true;
        self
    }

    /// Connects without asking the server which versions it speaks. A mismatch then shows in the
    /// first call, if the server notices it at all.
    pub fn without_probe(mut self) -> Self {
        self.probes = false;
        self
    }

    /// Speaks this revision and no other. One with a handshake begins with that at once; 2026-07-28 is never
    /// given up for an older one. Unless set, the server is asked, and an older one is met in the newest
    /// revision that it speaks.
    pub fn revision(mut self, revision: Revision) -> Self {
        self.revision = Some(revision);
        self
    }

    /// Remembers which servers speak a revision with a handshake, to begin with that the next time.
    pub fn eras(mut self, eras: &Eras) -> Self {
        self.eras = Some(eras.clone());
        self
    }

    /// Keeps results in a cache that other clients of **the same server** have as well. Without it the
    /// client has a cache of its own.
    ///
    /// Kept are lists, descriptions of the server and resources, for as long as the server allows
    /// (`ttlMs`) and until a [subscription](crate::Subscription) says that they have changed; never
    /// what came of answers.
    ///
    /// Specification: server/utilities/caching.
    pub fn cache(mut self, cache: &SharedCache) -> Self {
        self.cache = Some(cache.clone());
        self
    }

    /// Names the authorization that this client's requests have: a user, a tenant. Results that the
    /// server calls private are shared with the clients that name the same, and with no client unless
    /// set.
    pub fn cache_partition(mut self, authorization: impl Into<String>) -> Self {
        self.partition = Some(authorization.into());
        self
    }

    /// Asks the server each time.
    pub fn without_cache(mut self) -> Self {
        self.cache = None;
        self
    }

    /// Opens the transport and finds out which revision the server speaks.
    ///
    /// A server that does not know `server/discover` gets the handshake of older revisions, on the same
    /// connection. A child process that ended because it was asked is started again, once.
    ///
    /// # Errors
    ///
    /// [`Error::Extensions`] if one was declared wrongly, [`Error::Connect`] if the transport does not open,
    /// [`Error::UnsupportedVersion`] and [`Error::OldServer`] if there is no revision in common, and what can go wrong
    /// with a request.
    pub async fn connect(self, transport: impl Transport) -> Result<Client, Error> {
        let Self {
            identity,
            capabilities,
            handlers,
            defaults,
            log,
            concurrent,
            validates_output,
            probe,
            probes,
            cache,
            partition,
            revision,
            eras,
            faults,
        } = self;
        if !faults.is_empty() {
            return Err(Error::Extensions { faults });
        }
        let partition = partition.map_or_else(Partition::of_one_client, Partition::Named);
        let plan = Plan {
            identity: serde_json::to_value(identity).unwrap_or(Value::Null),
            capabilities,
            handlers,
            concurrent,
            defaults,
            validates_output,
            cache: cache.map(|cache| Cache::new(cache, partition)),
            log: log.map(LogQueue::new),
            patience: probe,
            probes,
            revision,
            eras,
        };
        // On the heap: there are many ways to a connection, and each await would carry them all.
        Box::pin(plan.connect(transport)).await
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("identity", &self.identity)
            .field("handlers", &self.handlers)
            .field("defaults", &self.defaults)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::tally::testing::logged;

    #[test]
    fn malformed_log_messages_are_in_the_log_once() {
        let lines = logged(|| {
            let builder = Client::builder("test-host", "1.0.0").on_log(LoggingLevel::Debug, |_| {});
            let log = builder.log.unwrap();
            let malformed = RawValue::from_string(r#"{"level":"loud"}"#.to_owned()).unwrap();
            for _ in 0..1_000 {
                log(&malformed);
            }
        });
        assert_eq!(lines.len(), 2, "{lines:#?}");
        assert!(lines[1].contains("999 times more"), "{lines:#?}");
    }
}
