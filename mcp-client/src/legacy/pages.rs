//! Pages that a person was asked to open: calls that wait for them are sent again when they are done.
//!
//! Specification: 2025-11-25, client/elicitation, Completion Notifications for URL Mode Elicitation and URL
//! Elicitation Required Error.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mcp_core::rpc::{RpcError, code};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use crate::error::Error;
use crate::outcome::InputRequired;

/// How many pages are remembered; the oldest ones go first.
const REMEMBERED: usize = 1_000;

/// How long to wait for a page before the call is sent again nevertheless, at first and at most: servers need
/// not tell when it is done.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// How long a person may take for a page before they are asked again.
const PATIENCE: Duration = Duration::from_secs(600);

/// What people agreed to open.
#[derive(Debug, Default)]
pub(super) struct Pages {
    known: Mutex<VecDeque<Page>>,
    news: Notify,
}

#[derive(Debug)]
struct Page {
    id: String,
    since: Instant,
    done: bool,
}

impl Page {
    /// Whether a person is most likely still at it.
    fn is_open(&self) -> bool {
        !self.done && self.since.elapsed() < PATIENCE
    }
}

impl Pages {
    fn known(&self) -> MutexGuard<'_, VecDeque<Page>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A person agreed to open the page.
    pub(super) fn opened(&self, id: &str) {
        if self.is_opened(id) {
            return;
        }
        let mut known = self.known();
        known.retain(|page| page.id != id);
        if known.len() >= REMEMBERED {
            known.pop_front();
        }
        known.push_back(Page {
            id: id.to_owned(),
            since: Instant::now(),
            done: false,
        });
    }

    /// Whether a person has agreed to open the page, and is not known to be done with it.
    pub(super) fn is_opened(&self, id: &str) -> bool {
        let known = self.known();
        known.iter().any(|page| page.id == id && page.is_open())
    }

    /// The server says that a page is done. One that nobody opened is ignored.
    pub(super) fn done(&self, params: Option<&RawValue>) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Members {
            elicitation_id: String,
        }
        let members = params.and_then(|params| serde_json::from_str::<Members>(params.get()).ok());
        let Some(Members { elicitation_id }) = members else {
            tracing::warn!(target: "mcp_client", "a malformed notifications/elicitation/complete");
            return;
        };
        let mut known = self.known();
        if let Some(page) = known.iter_mut().find(|page| page.id == elicitation_id) {
            page.done = true;
            self.news.notify_waiters();
        }
    }

    fn all_done<'a>(&self, mut ids: impl Iterator<Item = &'a String>) -> bool {
        let known = self.known();
        ids.all(|id| known.iter().any(|page| page.id == *id && page.done))
    }

    /// Takes the answers to the pages that a call waits for, by id, and waits until they are done, or for a
    /// while that grows with each round of the call.
    pub(super) async fn await_all(
        &self,
        answers: &BTreeMap<String, String>,
        round: u32,
    ) -> Result<(), Error> {
        for (id, answer) in answers {
            let answer: Value = serde_json::from_str(answer).unwrap_or_default();
            if answer["action"] != "accept" {
                return Err(Error::Rpc(RpcError::new(
                    code::URL_ELICITATION_REQUIRED,
                    "the server wants a page to be opened first, and it was not",
                )));
            }
            self.opened(id);
        }
        let pause = FIRST_PAUSE.saturating_mul(1 << round.saturating_sub(2).min(5));
        let until = Instant::now() + pause.min(LONGEST_PAUSE);
        loop {
            let news = self.news.notified();
            if self.all_done(answers.keys()) || timeout_at(until, news).await.is_err() {
                return Ok(());
            }
        }
    }
}

/// The pages that an error asks for, as questions; their ids are the keys. `None` if it does not have the form
/// that the specification gives it.
pub(super) fn required(error: &RpcError) -> Option<InputRequired> {
    if error.code != code::URL_ELICITATION_REQUIRED {
        return None;
    }
    let elicitations = error.data.as_ref()?.get("elicitations")?.as_array()?;
    let requests: Option<Vec<(String, String)>> = elicitations
        .iter()
        .map(|params| {
            let id = params.get("elicitationId")?.as_str()?;
            let mut params = params.clone();
            // An error cannot ask for anything else, and some servers leave it out.
            params
                .as_object_mut()?
                .insert("mode".to_owned(), "url".into());
            let request = json!({ "method": "elicitation/create", "params": params });
            Some((id.to_owned(), request.to_string()))
        })
        .collect();
    let requests = requests.filter(|requests| !requests.is_empty())?;
    // An answer is for one page.
    let ids: BTreeSet<&String> = requests.iter().map(|(id, _)| id).collect();
    if ids.len() < requests.len() {
        return None;
    }
    Some(InputRequired {
        requests,
        state: None,
    })
}
