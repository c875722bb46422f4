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
use crate::question::InputRequest;
use crate::tally::Tally;

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
    /// What the server should not have said.
    ignored: Tally,
}

/// What tells pages apart. The id alone does not: it is the server's, which may use it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PageName {
    pub(super) id: String,
    url: String,
}

impl PageName {
    pub(super) fn new(id: &str, url: &str) -> Self {
        Self {
            id: id.to_owned(),
            url: url.to_owned(),
        }
    }

    /// The page that an error asks for; `None` for what is no page.
    pub(super) fn of(request: &InputRequest) -> Option<Self> {
        match request {
            InputRequest::Url(page) => Some(Self::new(&page.key, &page.url)),
            _ => None,
        }
    }
}

#[derive(Debug)]
struct Page {
    name: PageName,
    /// The call on which it was asked for, if it stayed open for that.
    during: Option<u64>,
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

    /// A person agreed to open the page, perhaps on an open call.
    pub(super) fn opened(&self, name: PageName, during: Option<u64>) {
        if self.is_opened(&name) {
            return;
        }
        let mut known = self.known();
        known.retain(|page| page.name != name);
        if known.len() >= REMEMBERED {
            known.pop_front();
        }
        known.push_back(Page {
            name,
            during,
            since: Instant::now(),
            done: false,
        });
    }

    /// Whether a person has agreed to open the page, and is not known to be done with it.
    pub(super) fn is_opened(&self, name: &PageName) -> bool {
        let known = self.known();
        known
            .iter()
            .any(|page| page.name == *name && page.is_open())
    }

    /// These have served: when they are wanted again, a person is asked again.
    pub(super) fn forget(&self, served: impl Fn(&PageName, Option<u64>) -> bool) {
        self.known().retain(|page| !served(&page.name, page.during));
        self.news.notify_waiters();
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
            let what = "a malformed notifications/elicitation/complete";
            if self.ignored.is_first(what) {
                tracing::warn!(target: "mcp_client", "{what}");
            }
            return;
        };
        let mut known = self.known();
        for page in known.iter_mut() {
            page.done |= page.name.id == elicitation_id;
        }
        drop(known);
        self.news.notify_waiters();
    }

    /// Whether there is nothing to wait for: another call may have had its result with a page.
    fn all_done(&self, names: &[PageName]) -> bool {
        let known = self.known();
        !known
            .iter()
            .any(|page| !page.done && names.contains(&page.name))
    }

    /// Takes the answers to the pages that a call waits for, by id, and waits until they are done, or for a
    /// while that grows with each round of the call.
    pub(super) async fn await_all(
        &self,
        names: &[PageName],
        answers: &BTreeMap<String, String>,
        round: u32,
    ) -> Result<(), Error> {
        for name in names {
            let answer = answers.get(&name.id).map(String::as_str);
            let answer: Value =
                serde_json::from_str(answer.unwrap_or_default()).unwrap_or_default();
            if answer["action"] != "accept" {
                return Err(Error::Rpc(RpcError::new(
                    code::URL_ELICITATION_REQUIRED,
                    "the server wants a page to be opened first, and it was not",
                )));
            }
            self.opened(name.clone(), None);
        }
        let pause = FIRST_PAUSE.saturating_mul(1 << round.saturating_sub(2).min(5));
        let until = Instant::now() + pause.min(LONGEST_PAUSE);
        loop {
            let news = self.news.notified();
            if self.all_done(names) || timeout_at(until, news).await.is_err() {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tally::testing::logged;

    #[test]
    fn what_cannot_be_read_is_in_the_log_once() {
        let lines = logged(|| {
            let pages = Pages::default();
            for _ in 0..1_000 {
                pages.done(None);
            }
        });
        assert_eq!(lines.len(), 2, "{lines:#?}");
        assert!(lines[1].contains("999 times more"), "{lines:#?}");
    }
}
