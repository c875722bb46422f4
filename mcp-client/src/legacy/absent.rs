//! What stands in for [`legacy`](super) without the feature of that name: servers with a handshake are refused,
//! and all that is said of them elsewhere is about types without values.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use mcp_core::Revision;
use mcp_core::protocol::SubscriptionFilter;
use serde_json::value::RawValue;

use crate::VERSION;
use crate::client::Client;
use crate::error::Error;
use crate::inbox::Inbox;
use crate::probe::Refusal;
use crate::question::InputRequest;
use crate::session::{Call, Session, Step};

#[path = "offered.rs"]
mod offered;

pub(crate) use self::offered::refuse;

pub(crate) const IS_SPOKEN: bool = false;

pub(crate) async fn begin(
    _client: &Client,
    revision: Revision,
    _patience: Duration,
) -> Result<(), Error> {
    Err(Error::UnsupportedVersion {
        ours: VERSION,
        theirs: vec![revision.to_string()],
    })
}

pub(crate) async fn begin_newest(client: &Client, patience: Duration) -> Result<(), Error> {
    begin(client, Revision::V2025_11_25, patience).await
}

pub(crate) async fn fall_back(
    client: &Client,
    refusal: Refusal,
    _patience: Duration,
) -> Result<(), Error> {
    Err(refuse(client, refusal).await)
}

pub(crate) mod batch {
    pub(crate) fn split(_message: &[u8]) -> Option<Vec<Vec<u8>>> {
        None
    }
}

#[derive(Debug)]
pub(crate) enum Connection {}

impl Connection {
    pub(crate) fn revision(&self) -> Revision {
        match *self {}
    }

    pub(crate) fn roots_changed(&self, _client: &Client) {
        match *self {}
    }

    pub(crate) async fn step(
        &self,
        _session: &Session,
        _call: Call,
        _round: u32,
        _token: Option<u64>,
    ) -> Result<Step, Error> {
        match *self {}
    }

    pub(crate) async fn resume(
        &self,
        _session: &Session,
        _call: Call,
        _questions: &[InputRequest],
        _answers: &BTreeMap<String, String>,
        _state: Option<&str>,
        _round: u32,
    ) -> Result<Step, Error> {
        match *self {}
    }

    pub(crate) async fn send(
        &self,
        _session: &Session,
        _call: &Call,
        _token: Option<u64>,
    ) -> Result<Box<RawValue>, Error> {
        match *self {}
    }

    pub(crate) async fn subscribe(
        &self,
        _client: &Client,
        _wanted: &SubscriptionFilter,
        _inbox: Arc<Inbox>,
        _stays: bool,
    ) -> Result<(SubscriptionFilter, Listening), Error> {
        match *self {}
    }
}

#[derive(Debug)]
pub(crate) enum OpenCall {}

impl OpenCall {
    pub(crate) async fn answer(
        self: Arc<Self>,
        _session: &Session,
        _call: Call,
        _answers: &BTreeMap<String, String>,
        _round: u32,
    ) -> Result<Step, Error> {
        match *self {}
    }
}

#[derive(Debug)]
pub(crate) enum Stopwatch {}

impl Stopwatch {
    pub(crate) fn stood(&self) -> Option<Duration> {
        match *self {}
    }

    pub(crate) fn stood_in_all(&self) -> Duration {
        match *self {}
    }

    pub(crate) async fn turned(&mut self) {
        match *self {}
    }
}

#[derive(Debug)]
pub(crate) enum Listening {}
