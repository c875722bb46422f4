//! The questions of a round, as requests to the client.
//!
//! Specification of the earlier revisions: client/elicitation, client/sampling, client/roots.

use std::{future::Future, sync::Arc, task::Poll, time::Duration};

use mcp_core::{Revision, rpc::write_str};
use tokio::time::{Instant, sleep_until};

use super::{
    pages::Page,
    requests::{NoAnswer, Pending},
    session::Session,
    view,
};
use crate::{
    asking::{Body, Kind, Question},
    context::Context,
    error::ToolError,
    outcome::Request,
    parameters::member,
    reporter::Outgoing,
    state::random_id,
};

/// The most of a client's own words that are repeated.
const WORDS: usize = 200;

/// A question that the client has.
pub(super) struct Shown {
    pub(super) key: String,
    /// What it becomes where the user agrees to open it.
    pub(super) page: Option<Page>,
    pub(super) answer: Box<str>,
    pending: Option<Pending>,
}

impl Session {
    /// Sends a question among the messages of a call.
    ///
    /// # Errors
    ///
    /// How the call ends.
    pub(super) fn put(
        self: &Arc<Self>,
        ctx: &Context,
        out: &Arc<dyn Outgoing>,
        request: &Request,
        deadline: Instant,
    ) -> Result<Shown, ToolError> {
        let (key, question) = (request.key.to_string(), &request.question);
        let id = match question.kind() {
            Kind::Url => random_id()?,
            _ => String::new(),
        };
        let (method, params) = written(self.revision, question, request.reason.as_deref(), &id)
            .map_err(|what| ToolError::new(format!("the client cannot be asked for {what}")))?;
        let asked = keyed(params.as_deref(), &key);
        let pending = Some(self.ask(out, ctx.number(), method, Some(&asked)));
        let page = match &question.body {
            Body::Url(url) => Some(Page {
                key: key.clone(),
                id,
                params: params.unwrap_or_default(),
                message: question.message.clone(),
                url: url.clone(),
                until: deadline,
            }),
            _ => None,
        };
        Ok(Shown {
            key,
            page,
            answer: Box::default(),
            pending,
        })
    }
}

impl Shown {
    /// Whether the user has accepted.
    pub(super) fn agreed(&self) -> bool {
        member(&self.answer, "action") == Some(r#""accept""#)
    }
}

/// The parameters of a question with its key in `_meta`: our own client tells its host, and others need not look.
fn keyed(params: Option<&str>, key: &str) -> String {
    let mut keyed = br#"{"_meta":{"mcp-server/key":"#.to_vec();
    write_str(&mut keyed, key);
    keyed.push(b'}');
    match params.map(|params| params.trim_start_matches(['{', ' '])) {
        None | Some("}") => keyed.push(b'}'),
        Some(rest) => {
            keyed.push(b',');
            keyed.extend_from_slice(rest.as_bytes());
        }
    }
    String::from_utf8(keyed).unwrap_or_default()
}

/// The method of the request that a question is in a revision, and its parameters.
///
/// # Errors
///
/// What of it cannot be said there.
pub(super) fn written(
    revision: Revision,
    question: &Question,
    reason: Option<&str>,
    elicitation: &str,
) -> Result<(&'static str, Option<String>), String> {
    let method = match question.kind() {
        Kind::Form | Kind::Url => "elicitation/create",
        Kind::Sampling => "sampling/createMessage",
        Kind::Roots => "roots/list",
    };
    let mut json = Vec::new();
    question.write(&mut json, reason);
    let json = String::from_utf8(json).unwrap_or_default();
    let Some(params) = member(&json, "params") else {
        return Ok((method, None));
    };
    let mut params = params.to_owned();
    if question.kind() == Kind::Url {
        params.pop();
        params.push_str(&format!(r#","elicitationId":"{elicitation}"}}"#));
    }
    Ok((method, Some(view::request(revision, method, &params)?)))
}

/// Waits for all answers, or for the first that is none.
///
/// # Errors
///
/// How the call ends.
pub(super) async fn answers(
    shown: &mut [Shown],
    deadline: Instant,
    lifetime: Duration,
) -> Result<(), ToolError> {
    let mut late = std::pin::pin!(sleep_until(deadline));
    std::future::poll_fn(|cx| {
        let mut is_waiting = false;
        for shown in &mut *shown {
            let Some(pending) = &mut shown.pending else {
                continue;
            };
            match pending.poll(cx) {
                Poll::Pending => is_waiting = true,
                Poll::Ready(Ok(answer)) => {
                    shown.answer = answer;
                    shown.pending = None;
                }
                Poll::Ready(Err(none)) => return Poll::Ready(Err(said(&shown.key, none))),
            }
        }
        if !is_waiting {
            return Poll::Ready(Ok(()));
        }
        late.as_mut().poll(cx).map(|()| {
            Err(ToolError::new(format!(
                "nobody has answered within {} s; call again to ask anew",
                lifetime.as_secs()
            )))
        })
    })
    .await
}

/// What a call ends with that gets no answer.
fn said(key: &str, none: NoAnswer) -> ToolError {
    ToolError::new(match none {
        NoAnswer::Refused(code, message) => {
            let words: String = message.chars().take(WORDS).collect();
            format!("the client did not answer `{key}`, but said: {words} (error {code})")
        }
        NoAnswer::Unreadable => format!("the client's answer to `{key}` cannot be read"),
        NoAnswer::Ended => format!("the client has gone before it answered `{key}`"),
    })
}
