//! The questions of a round, as requests to the client.
//!
//! Specification of the earlier revisions: client/elicitation, client/sampling, client/roots.

use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::Poll,
    time::{Duration, Instant},
};

use mcp_core::{Revision, rpc::write_str};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{
    clock::until,
    requests::{NoAnswer, Pending},
    session::Session,
    view,
};
use crate::{
    asking::{Kind, Question},
    context::Context,
    error::ToolError,
    outcome::Request,
    reporter::Outgoing,
    state::random_id,
};

/// The most of a client's own words that are repeated.
const WORDS: usize = 200;

/// A question that the client has.
pub(super) struct Shown {
    pub(super) key: String,
    /// Of a page: its id, and the parameters that have it.
    pub(super) page: Option<(String, String)>,
    pub(super) answer: Box<str>,
    pending: Option<Pending>,
}

impl Session {
    /// Sends a question among the messages of a call.
    pub(super) fn put(
        self: &Arc<Self>,
        ctx: &Context,
        out: &Arc<dyn Outgoing>,
        request: &Request,
    ) -> Result<Shown, ToolError> {
        let id = match request.question.kind() {
            Kind::Url => random_id()?,
            _ => String::new(),
        };
        let reason = request.reason.as_deref();
        let (method, params) = written(self.revision, &request.question, reason, &id)
            .map_err(|what| ToolError::new(format!("the client cannot be asked for {what}")))?;
        let asked = keyed(params.as_deref(), &request.key);
        let pending = self.ask(out, ctx.number(), method, Some(&asked));
        Ok(Shown {
            key: request.key.clone().into_owned(),
            page: params.filter(|_| !id.is_empty()).map(|params| (id, params)),
            answer: Box::default(),
            pending: Some(pending),
        })
    }
}

impl Shown {
    /// Whether the user has agreed to open the page that it asks for.
    pub(super) fn agreed(&self) -> Option<(String, String)> {
        #[derive(Deserialize)]
        struct Answer<'a> {
            #[serde(borrow)]
            action: std::borrow::Cow<'a, str>,
        }
        let answer = serde_json::from_str::<Answer<'_>>(&self.answer);
        let agrees = answer.is_ok_and(|answer| answer.action == "accept");
        self.page.clone().filter(|_| agrees)
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
    #[derive(Deserialize)]
    struct Written<'a> {
        #[serde(borrow)]
        params: Option<&'a RawValue>,
    }
    let method = match question.kind() {
        Kind::Form | Kind::Url => "elicitation/create",
        Kind::Sampling => "sampling/createMessage",
        Kind::Roots => "roots/list",
    };
    let mut json = Vec::new();
    question.write(&mut json, reason);
    let json = String::from_utf8(json).unwrap_or_default();
    let written: Written<'_> = serde_json::from_str(&json).map_err(|_| "what is no JSON")?;
    let Some(params) = written.params else {
        return Ok((method, None));
    };
    let mut params = params.get().to_owned();
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
    let mut late = until(deadline);
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
        Pin::new(&mut late).poll(cx).map(|()| {
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
        NoAnswer::Refused(refused) => {
            let words: String = refused.message.chars().take(WORDS).collect();
            format!(
                "the client did not answer `{key}`, but said: {words} (error {})",
                refused.code
            )
        }
        NoAnswer::Unreadable => format!("the client's answer to `{key}` cannot be read"),
        NoAnswer::Ended => format!("the client has gone before it answered `{key}`"),
    })
}
