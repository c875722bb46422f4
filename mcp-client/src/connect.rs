//! The way to a connected client: open, find out what the server speaks, and agree on it.
//!
//! Specification: basic/versioning, Backward Compatibility with Initialization-Based Versions.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use mcp_core::Revision;
use serde_json::Value;
use tokio::sync::Mutex;

use crate::cache::Cache;
use crate::capabilities::Capabilities;
use crate::client::{Client, Inner};
use crate::eras::Eras;
use crate::error::Error;
use crate::excerpt::Excerpt;
use crate::handlers::{Handlers, Turns};
use crate::header_params::HeaderParams;
use crate::legacy;
use crate::options::CallOptions;
use crate::peer::{Ears, LogQueue, Peer};
use crate::probe::{self, Refusal, Verdict};
use crate::structured::OutputSchemas;
use crate::transport::Transport;
use crate::unheard::Unheard;

/// A client to be, and how it gets there.
pub(crate) struct Plan {
    pub(crate) identity: Value,
    pub(crate) capabilities: Capabilities,
    pub(crate) handlers: Handlers,
    pub(crate) concurrent: bool,
    pub(crate) defaults: CallOptions,
    pub(crate) validates_output: bool,
    pub(crate) cache: Option<Cache>,
    pub(crate) log: Option<LogQueue>,
    /// How long the server may take to answer the first request.
    pub(crate) patience: Duration,
    /// Whether it is asked at all.
    pub(crate) probes: bool,
    /// The one revision to speak.
    pub(crate) revision: Option<Revision>,
    pub(crate) eras: Option<Eras>,
}

impl Plan {
    pub(crate) async fn connect(self, transport: impl Transport) -> Result<Client, Error> {
        let server = transport.remembered_as();
        let known = self.eras.as_ref().zip(server.as_ref());
        let remembered = known.and_then(|(eras, server)| eras.get(server));
        let (client, is_clear) = match self.revision {
            Some(revision) => (self.pinned(transport, revision).await?, false),
            None if remembered.is_some_and(Revision::is_legacy) => self.remember(transport).await?,
            None => self.find_out(transport).await?,
        };
        if let Some((eras, server)) = known
            && is_clear
            && remembered != Some(client.revision())
        {
            eras.set(server, client.revision());
        }
        Ok(client)
    }

    async fn pinned(&self, transport: impl Transport, revision: Revision) -> Result<Client, Error> {
        if !revision.is_legacy() {
            return self.stay_modern(transport).await;
        }
        let client = self.open(transport).await?;
        let begun = legacy::begin(&client, revision, self.patience).await;
        or_closed(client, begun).await
    }

    async fn stay_modern(&self, transport: impl Transport) -> Result<Client, Error> {
        let client = self.open(transport).await?;
        if !self.probes {
            return Ok(client);
        }
        let settled = match probe::probe(&client, self.patience).await {
            Ok(Verdict::Modern) => Ok(()),
            Ok(Verdict::Unknown(refusal)) => Err(legacy::refuse(&client, refusal).await),
            Err(error) => Err(error),
        };
        or_closed(client, settled).await
    }

    /// A client, and whether the server has said clearly what it speaks.
    async fn find_out<T: Transport>(&self, transport: T) -> Result<(Client, bool), Error> {
        let spare = transport.again();
        let client = self.open(transport).await?;
        match self.probes {
            true => self.settle(client, spare).await,
            false => Ok((client, false)),
        }
    }

    /// Asks, and falls back on whatever is no answer of today. A child may end because of what it was asked, at once
    /// or after it has said so.
    async fn settle<T: Transport>(
        &self,
        client: Client,
        spare: Option<T>,
    ) -> Result<(Client, bool), Error> {
        let mut is_clear = true;
        let (said, settled) = match probe::probe(&client, self.patience).await {
            Ok(Verdict::Modern) => (None, Ok(())),
            Ok(Verdict::Unknown(refusal)) => {
                is_clear = refusal.is_clear();
                let said = refusal.answer.clone();
                let settled = legacy::fall_back(&client, refusal, self.patience).await;
                (Some(said), settled)
            }
            Err(error) => (None, Err(error)),
        };
        let Err(error @ Error::Closed { .. }) = settled else {
            return Ok((or_closed(client, settled).await?, is_clear));
        };
        client.close().await;
        let Some(spare) = spare.filter(|_| legacy::IS_SPOKEN) else {
            return Err(error);
        };
        tracing::debug!(target: "mcp_client", error = %Excerpt(&error), "started again, for the handshake");
        let refusal = Refusal {
            answer: said.unwrap_or_else(|| format!("its end: {error}")),
            unclear: None,
            speaks: Vec::new(),
        };
        let client = self.open(spare).await?;
        let begun = legacy::fall_back(&client, refusal, self.patience).await;
        Ok((or_closed(client, begun).await?, is_clear))
    }

    /// Begins with the handshake, since that is what the server wanted the last time.
    async fn remember<T: Transport>(&self, transport: T) -> Result<(Client, bool), Error> {
        let spare = transport.again();
        let client = self.open(transport).await?;
        match legacy::begin_newest(&client, self.patience).await {
            Ok(()) => Ok((client, true)),
            Err(error @ Error::Closed { .. }) => {
                client.close().await;
                match spare {
                    Some(spare) => self.find_out(spare).await,
                    None => Err(error),
                }
            }
            Err(error) => {
                tracing::debug!(target: "mcp_client", error = %Excerpt(&error), "the server takes no handshake any more");
                self.settle(client, spare).await
            }
        }
    }

    async fn open<T: Transport>(&self, transport: T) -> Result<Client, Error> {
        let header_params = transport.mirrors_metadata().then(HeaderParams::default);
        let unheard = Arc::new(Unheard::default());
        let ears = Ears {
            log: self.log.clone(),
            unheard: Arc::clone(&unheard),
        };
        let peer = Peer::open(transport, ears).await.map_err(Error::Connect)?;
        let turns = if self.concurrent {
            Turns::Concurrent
        } else {
            Turns::OneAtATime(Mutex::new(()))
        };
        let inner = Inner {
            peer,
            identity: self.identity.clone(),
            capabilities: self.capabilities.clone(),
            handlers: self.handlers.clone(),
            turns: Arc::new(turns),
            defaults: self.defaults.clone(),
            listing: Mutex::new(()),
            schemas: OutputSchemas::default(),
            validates_output: self.validates_output,
            header_params,
            cache: self.cache.clone(),
            server: OnceLock::new(),
            legacy: OnceLock::new(),
            unheard,
        };
        Ok(Client {
            inner: Arc::new(inner),
        })
    }
}

/// The client, unless the server could not be agreed with.
async fn or_closed(client: Client, settled: Result<(), Error>) -> Result<Client, Error> {
    match settled {
        Ok(()) => Ok(client),
        Err(error) => {
            client.close().await;
            Err(error)
        }
    }
}
