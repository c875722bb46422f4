//! The questions of a round, as requests to the client.
//!
//! Specification of the earlier revisions: client/elicitation, client/sampling, client/roots.

use std::{
    sync::Arc,
    task::{Context as Task, Poll},
};

use mcp_core::Revision;
use tokio::time::Instant;

use super::{
    object::Object,
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
        let page = match &question.body {
            Body::Url(url) => Some(Page {
                key: key.clone(),
                id,
                params: params.to_json(),
                message: question.message.to_string(),
                url: url.clone(),
                until: deadline,
            }),
            _ => None,
        };
        let asked = keyed(params, &key);
        let pending = Some(self.ask(out, ctx.number(), method, &asked));
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
fn keyed(params: Object, key: &str) -> String {
    let mut meta = Object::default();
    meta.set_text("mcp-server/key", key);
    let mut keyed = Object::default();
    keyed.set("_meta", &meta.to_json());
    keyed.append(params);
    keyed.to_json()
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
) -> Result<(&'static str, Object), String> {
    let method = match question.kind() {
        Kind::Form | Kind::Url => "elicitation/create",
        Kind::Sampling => "sampling/createMessage",
        Kind::Roots => "roots/list",
    };
    let mut json = Vec::new();
    question.write(&mut json, reason);
    let json = String::from_utf8(json).unwrap_or_default();
    let Some(mut params) = member(&json, "params").and_then(Object::parse) else {
        return Ok((method, Object::default()));
    };
    if question.kind() == Kind::Url {
        params.set_text("elicitationId", elicitation);
    }
    view::request(revision, method, &mut params)?;
    Ok((method, params))
}

/// Takes the answers that have come; says whether all of them are there.
///
/// # Errors
///
/// How the call ends where one of them is none.
pub(super) fn take_answers(shown: &mut [Shown], cx: &mut Task<'_>) -> Result<bool, ToolError> {
    let mut is_waiting = false;
    for shown in shown {
        let Some(pending) = &mut shown.pending else {
            continue;
        };
        match pending.poll(cx) {
            Poll::Pending => is_waiting = true,
            Poll::Ready(Ok(answer)) => {
                shown.answer = answer;
                shown.pending = None;
            }
            Poll::Ready(Err(none)) => return Err(said(&shown.key, none)),
        }
    }
    Ok(!is_waiting)
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
