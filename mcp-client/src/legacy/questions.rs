//! Requests of the server: the same handlers answer them, after the same checks, as those of a server of today.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use mcp_core::Revision;
use mcp_core::rpc::{RequestId, RpcError, code};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::time::sleep;

use crate::client::Inner;
use crate::error::Error;
use crate::excerpt::Excerpt;
use crate::outcome;
use crate::question::{Asker, InputRequest, Kind};
use crate::session::on_one_line;
use crate::tally::Tally;

use super::calls::{Asking, Over};
use super::clock::Stopped;
use super::connection::Connection;
use super::open_call::Asked;
use super::pages::PageName;

/// How long a question may outlive its call.
const AFTER_THE_CALL: Duration = Duration::from_secs(60);

/// How long a question may be open that belongs to no call.
const WITHOUT_A_CALL: Duration = Duration::from_secs(600);

/// One request of the server that asks for something.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) id: RequestId,
    pub(super) method: String,
    pub(super) params: Option<Box<RawValue>>,
    /// The request of ours on whose stream it came.
    pub(super) during: Option<u64>,
    /// How many sessions had begun when it came.
    pub(super) session: u64,
}

/// What is read of a question before it is looked at as one.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Members {
    #[serde(default)]
    elicitation_id: Option<String>,
    #[serde(default, rename = "_meta")]
    meta: Option<MetaMembers>,
}

#[derive(Debug, Deserialize)]
struct MetaMembers {
    /// Servers of this library say so under which key a function asks.
    #[serde(default, rename = "mcp-server/key")]
    key: Option<String>,
}

/// Gets the answer. Nothing here keeps the client from ending while somebody thinks.
pub(super) async fn answer(
    client: Weak<Inner>,
    question: Question,
) -> Result<Box<RawValue>, RpcError> {
    let gone = || RpcError::internal_error("the client is gone");
    let inner = client.upgrade().ok_or_else(gone)?;
    let old = inner.legacy().ok_or_else(gone)?;
    let mut asking = old.calls.asking(question.during);
    let text = as_text(&question);
    let members = question.members();
    let key = old.keys.take(question.key(&members));
    let request = read(&inner, old, &question, key.name(), &text, asking.as_ref())?;
    let _in_round = match &asking {
        Some(asking) => Some(
            asking
                .in_round()
                .ok_or_else(|| too_often(&old.unanswered))?,
        ),
        None => None,
    };
    let stopped = asking.is_some().then(|| old.clock.stop());
    let nested = asking.as_ref().is_some_and(|asking| asking.nested);
    let (handlers, turns) = (inner.handlers.clone(), Arc::clone(&inner.turns));
    let (revision, unanswered) = (old.revision(), Arc::clone(&old.unanswered));
    drop(inner);

    let by_hand = asking.as_ref().and_then(|asking| asking.by_hand.clone());
    let answered = async {
        let key = request.key().to_owned();
        let Some(host) = by_hand else {
            let response = handlers.answer_one(request.clone(), &turns, nested).await;
            let response = response.and_then(|response| response.to_json(&request));
            return response.map_err(|error| failed(&unanswered, &error));
        };
        let (answer, given) = oneshot::channel();
        // An error means that the call is over, and so does a dropped sender.
        let _ = host.send(Asked {
            key,
            request: text.clone(),
            answer,
        });
        given
            .await
            .map_err(|_| RpcError::internal_error("the call was given up before the answer"))
    };
    let answer = tokio::select! {
        answer = answered => answer?,
        () = over(&mut asking, stopped) => {
            return Err(RpcError::internal_error("the call was over before the answer"));
        }
    };
    if let (Some(id), InputRequest::Url(page), Some(inner)) =
        (&members.elicitation_id, &request, client.upgrade())
        && accepts(&answer)
        && let Some(old) = inner.legacy()
    {
        let call = asking.as_ref().map(|asking| asking.call);
        old.pages.opened(PageName::new(id, &page.url), call);
    }
    in_words_of(revision, &request, answer)
}

fn too_often(unanswered: &Tally) -> RpcError {
    let what = "a call asks more often than Builder::max_rounds allows";
    if unanswered.is_first(what) {
        tracing::warn!(target: "mcp_client", "{what}");
    }
    RpcError::internal_error("this call has asked too often")
}

/// Waits until nobody wants the answer any more. A call that has ended without it may have gone on nevertheless, so
/// the person gets a while; but the timeouts of other calls do not wait for that.
async fn over(asking: &mut Option<Asking>, stopped: Option<Stopped>) {
    let Some(asking) = asking else {
        return sleep(WITHOUT_A_CALL).await;
    };
    if asking.over().await == Over::Ended {
        drop(stopped);
        sleep(AFTER_THE_CALL).await;
    }
}

impl Question {
    fn members(&self) -> Members {
        let params = self.params.as_ref();
        params
            .and_then(|params| serde_json::from_str(params.get()).ok())
            .unwrap_or_default()
    }

    /// What the server calls it.
    fn key(&self, members: &Members) -> String {
        let named = members.meta.as_ref().and_then(|meta| meta.key.clone());
        named.unwrap_or_else(|| match &self.id {
            RequestId::Integer(id) => id.to_string(),
            RequestId::String(id) => id.clone(),
        })
    }
}

/// The keys of open questions: an answer under a key must be for one question, whatever the server calls them.
#[derive(Clone, Debug, Default)]
pub(super) struct Keys(Arc<Mutex<HashSet<String>>>);

impl Keys {
    fn taken(&self) -> MutexGuard<'_, HashSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes this key, or one like it.
    fn take(&self, wanted: String) -> Key {
        let mut taken = self.taken();
        let mut name = wanted.clone();
        let mut count = 1;
        while taken.contains(&name) {
            count += 1;
            name = format!("{wanted} ({count})");
        }
        taken.insert(name.clone());
        drop(taken);
        Key {
            keys: self.clone(),
            name,
        }
    }
}

/// The key of one open question.
struct Key {
    keys: Keys,
    name: String,
}

impl Key {
    fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        self.keys.taken().remove(&self.name);
    }
}

/// The request as the questions of today stand in a result.
fn as_text(question: &Question) -> String {
    let method = Value::from(question.method.as_str());
    match &question.params {
        Some(params) => {
            let params = on_one_line(params.get());
            format!(r#"{{"method":{method},"params":{params}}}"#)
        }
        None => format!(r#"{{"method":{method}}}"#),
    }
}

/// The question, if it is one that the server may ask.
fn read(
    inner: &Inner,
    old: &Connection,
    question: &Question,
    key: &str,
    text: &str,
    asking: Option<&Asking>,
) -> Result<InputRequest, RpcError> {
    let asker = Asker {
        server: inner.server_info(),
        method: asking.map_or_else(|| question.method.clone(), |asking| asking.method.clone()),
        target: asking.map_or_else(String::new, |asking| asking.target.clone()),
        round: 1,
    };
    let declared = old.declared();
    let asks_people = declared.has(Kind::Form) || declared.has(Kind::Url);
    outcome::read_request(key, text, declared, &asker).map_err(|error| match &error {
        // A mode or a part of what was declared (2025-11-25: client/elicitation, Error Handling).
        Error::UndeclaredInput { kind, .. }
            if kind == "sampling.tools"
                || asks_people && question.method == "elicitation/create" =>
        {
            RpcError::invalid_params(format!("this client did not declare {kind}"))
        }
        Error::UndeclaredInput { .. } => RpcError::method_not_found(&question.method),
        Error::InvalidQuestion { reason, .. } => RpcError::invalid_params(reason.clone()),
        error => failed(&old.unanswered, error),
    })
}

/// The server learns that there is no answer, and the log why.
fn failed(unanswered: &Tally, error: &Error) -> RpcError {
    let (kind, why) = match error {
        Error::NoHandler { .. } => (
            "a question that nobody here answers",
            "nobody here answers this",
        ),
        Error::InvalidAnswer { .. } => (
            "an answer that does not fit the question",
            "the answer does not fit the question",
        ),
        _ => (
            "a question that the host could not answer",
            "the host could not answer",
        ),
    };
    // It is the server that asks again and again. But each time the host may have failed for another reason.
    let shown = Excerpt(error);
    if unanswered.is_first(kind) {
        tracing::warn!(target: "mcp_client", error = %shown, "a question of the server was not answered");
    } else {
        tracing::debug!(target: "mcp_client", error = %shown, "a question of the server was not answered");
    }
    RpcError::new(code::INTERNAL_ERROR, why)
}

fn accepts(answer: &str) -> bool {
    let answer: Value = serde_json::from_str(answer).unwrap_or_default();
    answer["action"] == "accept"
}

/// The answer as the revision has it.
fn in_words_of(
    revision: Revision,
    request: &InputRequest,
    answer: String,
) -> Result<Box<RawValue>, RpcError> {
    let unsaid = |what: &str| {
        let text = format!("the completion has {what}, which revision {revision} does not have");
        RpcError::internal_error(text)
    };
    let answer = match request {
        InputRequest::Sampling(_) if revision < Revision::V2025_11_25 => {
            let mut result: Value =
                serde_json::from_str(&answer).map_err(|_| unsaid("no content"))?;
            // One block is the content itself there, and there is no list of several.
            if let Some(blocks) = result["content"].as_array() {
                let [block] = &blocks[..] else {
                    return Err(unsaid("several blocks of content"));
                };
                result["content"] = block.clone();
            }
            let block = result["content"]["type"].as_str();
            let known = match block {
                Some("text" | "image") => true,
                Some("audio") => revision >= Revision::V2025_03_26,
                _ => false,
            };
            if !known {
                return Err(unsaid(&format!("content of type {}", json!(block))));
            }
            result.to_string()
        }
        _ => answer,
    };
    RawValue::from_string(answer)
        .map_err(|_| RpcError::internal_error("the answer cannot be written"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tally::testing::logged;

    #[test]
    fn questions_without_an_answer_are_in_the_log_once_for_each_reason() {
        let lines = logged(|| {
            let unanswered = Tally::default();
            let error = Error::Closed {
                reason: String::new(),
            };
            for _ in 0..1_000 {
                failed(&unanswered, &error);
                too_often(&unanswered);
            }
        });
        let counts = lines.iter().filter(|line| line.contains("999 times more"));
        assert_eq!(counts.count(), 2, "{lines:#?}");
        assert_eq!(lines.len(), 4, "{lines:#?}");
    }
}
