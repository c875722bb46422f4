//! What was agreed on in a handshake, and the way of every request after it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use mcp_core::Revision;
use mcp_core::protocol::{LoggingLevel, ServerCapabilities};
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::{Mutex, watch};

use crate::capabilities::Capabilities;
use crate::client::Client;
use crate::error::Error;
use crate::options::CallOptions;
use crate::outcome::MAY_ASK;
use crate::paused::PausedCall;
use crate::question::{Consent, InputRequest, Kind};
use crate::session::{Call, Session, Step};
use crate::tally::Tally;
use crate::transport::{Era, Metadata, Outgoing, Purpose};

use super::calls::{Caller, Calls};
use super::clock::Clock;
use super::level::Level;
use super::open_call::OpenCall;
use super::pages::{self, PageName, Pages};
use super::questions::Keys;
use super::subscriptions::{Listeners, Pace};
use super::{capabilities, handshake, params};

/// A connection to a server of a revision with a handshake.
#[derive(Debug)]
pub(crate) struct Connection {
    revision: Revision,
    server: ServerCapabilities,
    declared: Capabilities,
    level: Level,
    /// Which session this is, as the exchange counts them, and the turn to begin another one.
    session: AtomicU64,
    beginning: Mutex<()>,
    /// Sessions of lower numbers, as the exchange counts them, are over: questions of theirs want no answer any
    /// more. While another one is begun that is so for the present one as well.
    over: watch::Sender<u64>,
    pub(super) keys: Keys,
    pub(super) calls: Calls,
    pub(super) clock: Clock,
    pub(super) pages: Pages,
    /// Questions that had no answer.
    pub(super) unanswered: Arc<Tally>,
    pub(super) listeners: Listeners,
    pub(super) pace: Pace,
}

impl Connection {
    pub(super) fn new(client: &Client, revision: Revision, server: ServerCapabilities) -> Self {
        Self {
            revision,
            server,
            declared: capabilities::of(&client.inner.capabilities, revision),
            level: Level::default(),
            session: AtomicU64::new(client.inner.peer.exchange().sessions()),
            beginning: Mutex::new(()),
            over: watch::Sender::new(0),
            keys: Keys::default(),
            calls: Calls::default(),
            clock: Clock::new(),
            pages: Pages::default(),
            unanswered: Arc::default(),
            listeners: Listeners::default(),
            pace: Pace::default(),
        }
    }

    pub(crate) fn revision(&self) -> Revision {
        self.revision
    }

    /// What the server can do.
    pub(super) fn server(&self) -> &ServerCapabilities {
        &self.server
    }

    /// What the server may ask for.
    pub(super) fn declared(&self) -> &Capabilities {
        &self.declared
    }

    pub(super) fn metadata(&self, method: &str) -> Metadata {
        Metadata {
            method: method.to_owned(),
            version: Some(self.revision.as_str()),
            era: Era::Session,
            ..Metadata::default()
        }
    }

    /// One round of a call: the request, and what came of it.
    pub(crate) async fn step(
        &self,
        session: &Session,
        call: Call,
        round: u32,
        token: Option<u64>,
    ) -> Result<Step, Error> {
        let ended = if session.by_hand && MAY_ASK.contains(&call.method.as_str()) {
            let open = OpenCall::begin(session, &call, token);
            open.wait(self, session, &call, round).await
        } else {
            self.send(session, &call, token).await.map(Step::Complete)
        };
        self.step_of(session, call, ended, round)
    }

    /// Sends a paused call again, which here waited for nothing but pages.
    pub(crate) async fn resume(
        &self,
        session: &Session,
        call: Call,
        questions: &[InputRequest],
        answers: &BTreeMap<String, String>,
        state: Option<&str>,
        round: u32,
    ) -> Result<Step, Error> {
        let names: Option<Vec<PageName>> = questions.iter().map(PageName::of).collect();
        let Some(names) = names.filter(|_| state.is_none()) else {
            // It was paused at a server of today, which would take the answers anywhere.
            return Err(Error::NotOpen {
                method: call.method,
            });
        };
        self.pages.await_all(&names, answers, round).await?;
        let step = self.step(session, call, round, session.token(None)).await?;
        let wanted: Vec<PageName> = match &step {
            Step::Complete(_) => Vec::new(),
            Step::InputRequired(paused) => {
                paused.requests().iter().filter_map(PageName::of).collect()
            }
        };
        let served = |name: &PageName| names.contains(name) && !wanted.contains(name);
        self.pages.forget(|name, _| served(name));
        Ok(step)
    }

    /// A call that cannot be finished before pages were opened has these as questions.
    pub(super) fn step_of(
        &self,
        session: &Session,
        call: Call,
        ended: Result<Step, Error>,
        round: u32,
    ) -> Result<Step, Error> {
        let error = match ended {
            Err(Error::Rpc(error)) => error,
            ended => return ended,
        };
        match pages::required(&error) {
            Some(required) if self.declared.has(Kind::Url) => {
                let server = session.client.inner.server_info();
                let mut paused =
                    PausedCall::new(call, round, required, server, &self.declared, None)?;
                let open: Vec<String> = paused
                    .requests()
                    .iter()
                    .filter_map(PageName::of)
                    .filter(|page| self.pages.is_opened(page))
                    .map(|page| page.id)
                    .collect();
                // Nobody is asked twice to open the same page.
                for id in open {
                    paused.answer(&id, Consent::Accept)?;
                }
                Ok(Step::InputRequired(Box::new(paused)))
            }
            _ => Err(Error::Rpc(error).about(&call)),
        }
    }

    /// Sends one request, and once more where the server had ended the session before it.
    pub(crate) async fn send(
        &self,
        session: &Session,
        call: &Call,
        token: Option<u64>,
    ) -> Result<Box<RawValue>, Error> {
        let caller = Caller {
            by_hand: None,
            nested: session.client.inner.turns.is_held_here(),
            max_rounds: Some(session.client.inner.limits(&session.options).max_rounds),
        };
        self.send_for(session, call, token, caller).await
    }

    pub(super) async fn send_for(
        &self,
        session: &Session,
        call: &Call,
        token: Option<u64>,
        caller: Caller,
    ) -> Result<Box<RawValue>, Error> {
        if let Some(level) = session.options.log_level {
            self.want_level(&session.client, level).await;
        }
        let params = params::of(self.revision, call, &session.options, token)?;
        let open = self.calls.begin(call, caller);
        let id = Some(open.request());
        let number = self.number();
        let mut answer = self
            .exchange(session, &call.method, &params, token, id)
            .await;
        if matches!(answer, Err(Error::SessionEnded { .. })) {
            self.begin_again(&session.client, number).await?;
            answer = self
                .exchange(session, &call.method, &params, token, id)
                .await;
        }
        if answer.is_ok() {
            self.pages.forget(|_, during| during == Some(open.id()));
        }
        open.end();
        answer
    }

    async fn exchange(
        &self,
        session: &Session,
        method: &str,
        params: &str,
        token: Option<u64>,
        id: Option<&AtomicU64>,
    ) -> Result<Box<RawValue>, Error> {
        let mut request = session.to_request(method, params, token, self.metadata(method));
        request.clock = Some(self.clock.stopwatch());
        request.id = id;
        session.ask(request).await
    }

    /// A request of the connection's own.
    pub(super) async fn request(
        &self,
        client: &Client,
        method: &str,
        params: &Value,
    ) -> Result<Box<RawValue>, Error> {
        let session = Session::new(client.clone(), CallOptions::new());
        self.exchange(&session, method, &params.to_string(), None, None)
            .await
    }

    /// The number of the session, as the exchange counts them.
    pub(super) fn number(&self) -> u64 {
        self.session.load(Ordering::Acquire)
    }

    /// Tells when a session is over, by the number of the next one.
    pub(super) fn watch_over(&self) -> watch::Receiver<u64> {
        self.over.subscribe()
    }

    /// Begins another session after the one of this number, unless somebody has done so. That happens in a task
    /// of its own: whoever waits for it may give up, and the session is whole nevertheless.
    pub(super) async fn begin_again(&self, client: &Client, after: u64) -> Result<(), Error> {
        let owned = client.clone();
        let beginning = tokio::spawn(async move {
            match owned.inner.legacy() {
                Some(old) => old.renew(&owned, after).await,
                None => Ok(()),
            }
        });
        // An error means that the runtime ends.
        let gone = |_| Err(client.inner.peer.closed_error());
        beginning.await.unwrap_or_else(gone)
    }

    async fn renew(&self, client: &Client, after: u64) -> Result<(), Error> {
        let _turn = self.beginning.lock().await;
        if self.number() != after {
            return Ok(());
        }
        // Ids of the server begin anew, so an answer to an old question would be one to another.
        let peer = &client.inner.peer;
        let begun = peer.exchange().sessions();
        self.over.send_replace(begun + 1);
        let repeated = handshake::repeat(client, self.revision).await;
        let now = peer.exchange().sessions();
        if now == begun {
            // There is no other one, so the server may go on with this one.
            self.over.send_replace(begun);
        }
        repeated?;
        self.session.store(now, Ordering::Release);
        // Whoever waits for the session goes on: the server may take its time for these.
        let client = client.clone();
        tokio::spawn(async move {
            if let Some(old) = client.inner.legacy() {
                old.level.repeat(old, &client).await;
                old.listeners.repeat(old, &client).await;
            }
        });
        Ok(())
    }

    /// Asks for log messages at or above this level.
    pub(super) async fn want_level(&self, client: &Client, level: LoggingLevel) {
        if self.server.logging.is_some() {
            self.level.want(self, client, level).await;
        }
    }

    /// See [`Client::roots_changed`].
    pub(crate) fn roots_changed(&self, client: &Client) {
        if self.declared.has(Kind::Roots) {
            self.notify(client, "notifications/roots/list_changed");
        }
    }

    pub(super) fn notify(&self, client: &Client, method: &str) {
        client.inner.peer.send(Outgoing {
            text: format!(r#"{{"jsonrpc":"2.0","method":"{method}"}}"#),
            purpose: Purpose::Notification,
            metadata: self.metadata(method),
            receipt: None,
        });
    }
}
