//! A connected client: a cheap handle to one connection and its settings.

use std::sync::{Arc, OnceLock};

use mcp_core::Revision;
use mcp_core::protocol::{DiscoverResult, Implementation};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tokio::sync::Mutex;

use crate::builder::Builder;
use crate::cache::Cache;
use crate::capabilities::Capabilities;
use crate::error::Error;
use crate::handlers::{Handlers, Turns};
use crate::header_params::HeaderParams;
use crate::legacy;
use crate::options::CallOptions;
use crate::outcome::{self, Outcome};
use crate::paused::PausedCall;
use crate::peer::Peer;
use crate::rounds::{self, Limits};
use crate::session::{Call, Session};
use crate::structured::OutputSchemas;
use crate::unheard::Unheard;

/// A connection to one server.
///
/// Clones share the connection, and all methods take `&self`, so calls can run side by side. The
/// connection ends with [`close`](Self::close) or when the last clone is dropped.
#[derive(Clone, Debug)]
pub struct Client {
    pub(crate) inner: Arc<Inner>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) peer: Peer,
    pub(crate) identity: Value,
    pub(crate) capabilities: Capabilities,
    pub(crate) handlers: Handlers,
    pub(crate) turns: Arc<Turns>,
    pub(crate) defaults: CallOptions,
    /// Held by the call that lists the tools for what it needs to know of them.
    pub(crate) listing: Mutex<()>,
    pub(crate) schemas: OutputSchemas,
    pub(crate) validates_output: bool,
    /// Only where the transport puts them into headers.
    pub(crate) header_params: Option<HeaderParams>,
    pub(crate) cache: Option<Cache>,
    pub(crate) server: OnceLock<(DiscoverResult, Option<Implementation>)>,
    /// Set before the client is handed out, if the server speaks a revision with a handshake.
    pub(crate) legacy: OnceLock<legacy::Connection>,
    #[cfg_attr(not(feature = "legacy"), allow(dead_code))]
    pub(crate) unheard: Arc<Unheard>,
}

impl Client {
    /// Starts to describe a client by the name and version that servers get to see.
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> Builder {
        Builder::new(name, version)
    }

    /// The revision that is spoken on this connection. One older than 2026-07-28 was agreed on in a
    /// handshake when it was made.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.inner
            .legacy()
            .map_or(Revision::LATEST, legacy::Connection::revision)
    }

    /// Tells the server that what [`on_roots`](Builder::on_roots) answers has changed. Only servers of
    /// revisions with a handshake want to know; any other asks each time.
    pub fn roots_changed(&self) {
        if let Some(old) = self.inner.legacy() {
            old.roots_changed(self);
        }
    }

    /// Asks the server what it is and can do. One of a revision with a handshake has said so there.
    ///
    /// Specification: server/discover.
    ///
    /// # Errors
    ///
    /// What went wrong with the request.
    pub async fn discover(&self) -> Result<DiscoverResult, Error> {
        if let (Some(_), Some(said)) = (self.inner.legacy(), self.server()) {
            return Ok(said.clone());
        }
        let call = discover_call();
        let method = call.method.clone();
        let result = self.plain(call).await?;
        self.read(&method, &result)
    }

    /// What the server said about itself when the connection was made; `None` if it was not asked
    /// (see [`Builder::without_probe`]).
    #[must_use]
    pub fn server(&self) -> Option<&DiscoverResult> {
        self.inner.server.get().map(|(discovered, _)| discovered)
    }

    /// The server's name for itself, if it gave one. Nothing verifies it.
    #[must_use]
    pub fn server_info(&self) -> Option<&Implementation> {
        self.inner.server.get().and_then(|(_, info)| info.as_ref())
    }

    /// The lower floor: one request, one result, and the input request handed back.
    #[must_use]
    pub fn session(&self) -> Session {
        Session::new(self.clone(), CallOptions::new()).by_hand()
    }

    /// Forgets all kept results, those of other clients of a shared cache included: the server is asked
    /// again.
    pub fn clear_cache(&self) {
        if let Some(cache) = &self.inner.cache {
            cache.clear();
        }
    }

    /// How many lines were received that are no JSON-RPC messages. A server that logs to its
    /// standard output makes this grow; such lines are skipped.
    #[must_use]
    pub fn skipped_lines(&self) -> u64 {
        self.inner.peer.skipped_lines()
    }

    /// Whether the connection has ended. Every call then fails with [`Error::Closed`].
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.inner.peer.is_closed()
    }

    /// Waits until the connection has ended, from whichever side.
    pub async fn closed(&self) {
        self.inner.peer.closed().await;
    }

    /// Ends the connection, for all clones; pending calls fail with [`Error::Closed`]. A child
    /// process is gone when this returns.
    pub async fn close(&self) {
        self.inner.peer.close().await;
    }

    /// Drives a call through all its rounds.
    pub(crate) async fn finish<T: DeserializeOwned>(
        &self,
        call: Call,
        options: CallOptions,
    ) -> Result<T, Error> {
        let method = call.method.clone();
        let limits = self.inner.limits(&options);
        let session = Session::new(self.clone(), options);
        let (result, _) = rounds::drive(&session, call, limits).await?;
        self.read(&method, &result)
    }

    /// A result as what its method gives. One that is not is not kept either.
    pub(crate) fn read<T: DeserializeOwned>(
        &self,
        method: &str,
        result: &RawValue,
    ) -> Result<T, Error> {
        serde_json::from_str(result.get()).map_err(|e| {
            self.forget(method);
            invalid(method, &e)
        })
    }

    /// Forgets the kept results of a method; true if there were any.
    pub(crate) fn forget(&self, method: &str) -> bool {
        let cache = self.inner.cache.as_ref();
        cache.is_some_and(|cache| cache.forget(method))
    }

    /// One request that may not be answered with a request for input.
    pub(crate) async fn plain(&self, call: Call) -> Result<Box<RawValue>, Error> {
        self.session().plain(&call).await
    }
}

impl Inner {
    /// The `_meta` of a request: the same on every round of a call.
    ///
    /// Specification: basic/index, Per-request protocol fields.
    pub(crate) fn meta(
        &self,
        capabilities: &Capabilities,
        options: &CallOptions,
        token: Option<u64>,
    ) -> Map<String, Value> {
        let mut meta = options.meta.clone();
        meta.insert(
            "io.modelcontextprotocol/protocolVersion".to_owned(),
            crate::VERSION.into(),
        );
        meta.insert(
            "io.modelcontextprotocol/clientInfo".to_owned(),
            self.identity.clone(),
        );
        meta.insert(
            "io.modelcontextprotocol/clientCapabilities".to_owned(),
            capabilities.to_json(),
        );
        match token {
            Some(token) => meta.insert("progressToken".to_owned(), token.into()),
            None => meta.remove("progressToken"),
        };
        let level = options
            .log_level
            .as_ref()
            .and_then(|level| serde_json::to_value(level).ok());
        match level {
            Some(level) => meta.insert("io.modelcontextprotocol/logLevel".to_owned(), level),
            None => meta.remove("io.modelcontextprotocol/logLevel"),
        };
        meta
    }

    /// What was agreed on in a handshake, if there was one.
    pub(crate) fn legacy(&self) -> Option<&legacy::Connection> {
        self.legacy.get()
    }

    pub(crate) fn limits(&self, options: &CallOptions) -> Limits {
        Limits {
            max_rounds: options
                .max_rounds
                .or(self.defaults.max_rounds)
                .unwrap_or(DEFAULT_MAX_ROUNDS),
            deadline: options.overall_deadline.or(self.defaults.overall_deadline),
        }
    }

    pub(crate) async fn answer(&self, paused: &mut PausedCall) -> Result<(), Error> {
        self.handlers.answer(paused, &self.turns).await
    }

    pub(crate) fn server_info(&self) -> Option<Implementation> {
        self.server.get().and_then(|(_, info)| info.clone())
    }
}

/// The requests that a call may take unless set.
pub(crate) const DEFAULT_MAX_ROUNDS: u32 = 10;

pub(crate) fn discover_call() -> Call {
    Call::new("server/discover", "server/discover", Vec::new())
}

fn invalid(method: &str, error: &serde_json::Error) -> Error {
    Error::InvalidResult {
        method: method.to_owned(),
        reason: error.to_string(),
    }
}

/// The result of the probe, kept with the name the server gave itself.
pub(crate) fn keep_server(inner: &Inner, result: &RawValue) -> Result<(), Error> {
    let method = discover_call().method;
    match outcome::classify(&method, result.to_owned())? {
        Outcome::Complete(result) => {
            let discovered =
                serde_json::from_str(result.get()).map_err(|e| invalid(&method, &e))?;
            let info = outcome::server_info(&result);
            // Set once, by the one who connects.
            let _ = inner.server.set((discovered, info));
            Ok(())
        }
        Outcome::InputRequired(_) => Err(Error::MayNotAsk { method }),
    }
}
