//! A call that asks, on an earlier client's open request: each question is a request to the client, and the rounds
//! are those of today, in memory.
//!
//! Motivation: a function is called again with what it was answered, as in any round, so whatever asks works by itself:
//! questions of parameters, and an [`Outcome::InputRequired`] made by hand. Nothing is sealed, because nothing leaves.
//!
//! Specification of the earlier revisions: client/elicitation, client/sampling, client/roots.

use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::Poll,
    time::{Duration, Instant},
};

use mcp_core::{
    Revision,
    rpc::{RpcError, write_str},
};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{
    clock::until,
    explain,
    later::Answers,
    requests::{NoAnswer, Pending},
    session::Session,
    view,
};
use crate::{
    asking::{Exchange, Kind, Question},
    context::Context,
    error::ToolError,
    methods::{CallFuture, body, may_ask, write_outcome},
    outcome::{InputRequired, Outcome},
    reporter::Outgoing,
    state::random_id,
};

/// How long a call waits that is not done and asks nothing new, at first; twice as long each time.
const FIRST_PAUSE: Duration = Duration::from_millis(50);

/// The longest of these pauses where only a state goes round.
const STATE_PAUSE: Duration = Duration::from_millis(250);

/// The longest of these pauses where the user is busy on a page.
const PAGE_PAUSE: Duration = Duration::from_secs(1);

/// The most of a client's own words that are repeated.
const WORDS: usize = 200;

/// Runs a call through all its rounds, and gives its whole result.
///
/// # Errors
///
/// What is answered instead.
pub(super) async fn run(
    session: &Arc<Session>,
    ctx: &Context,
    out: &Arc<dyn Outgoing>,
    mut call: CallFuture,
) -> Result<Vec<u8>, RpcError> {
    let mut rounds = Rounds {
        session,
        ctx,
        out,
        pages: Vec::new(),
        answers: String::new(),
        pause: FIRST_PAUSE,
    };
    let result = loop {
        let input = match (&mut call).await {
            Ok(Outcome::InputRequired(input)) => input,
            other => break other,
        };
        if let Err(error) = rounds.ask(input).await {
            break Err(error.into());
        }
        call = CallFuture::function(ctx.clone());
    };
    rounds.leave_pages(|_| false);
    ctx.close();
    let mut json = Vec::with_capacity(256);
    write_outcome(ctx, explain::outcome(ctx, result), &mut json)?;
    Ok(json)
}

struct Rounds<'a> {
    session: &'a Arc<Session>,
    ctx: &'a Context,
    out: &'a Arc<dyn Outgoing>,
    /// Pages that the user has agreed to open, and may still be busy on.
    pages: Vec<Page>,
    /// The answers of the last round.
    answers: String,
    pause: Duration,
}

struct Page {
    key: String,
    elicitation: String,
    until: Instant,
}

/// A question that is to be shown.
struct Asked {
    key: String,
    /// The id of a page.
    elicitation: Option<String>,
    pending: Pending,
    answer: Option<Box<str>>,
}

impl Rounds<'_> {
    /// Asks what a round has come to, and prepares the next one.
    async fn ask(&mut self, input: InputRequired) -> Result<(), ToolError> {
        let (ctx, states) = (self.ctx, self.ctx.server().states());
        // What the round has claimed has ended with it.
        ctx.forget_claims();
        if ctx.is_given_up() {
            return Err(ToolError::new("the client has given the call up"));
        }
        may_ask(ctx, &input)?;
        let asks = |page: &Page| {
            let mut kinds = input.kinds();
            kinds.any(|(key, kind)| key == page.key && kind == Kind::Url)
        };
        self.leave_pages(asks);
        let now = Instant::now();
        if let Some(page) = self.pages.iter().find(|page| page.until <= now) {
            return Err(ToolError::new(format!(
                "what the user was to do on the page of `{}` was not done in time; call again to begin anew",
                page.key
            )));
        }
        let deadline = now + states.lifetime();
        let mut asked = self.send(&input)?;
        let is_empty = input.requests.is_empty();
        let mut body = {
            let mut exchange = ctx.exchange();
            exchange.note(input);
            body(ctx, &mut exchange).map_err(ToolError::protocol)?
        };
        if is_empty {
            states.prepare(&mut body);
            self.rest(STATE_PAUSE).await;
        } else if asked.is_empty() {
            // The same round again: what is shown already is not shown once more.
            for page in &self.pages {
                if let Some(mut shown) = body.payload.asked.remove(&page.key) {
                    shown.times = shown.times.saturating_sub(1);
                    body.payload.asked.insert(page.key.clone(), shown);
                }
            }
            self.rest(PAGE_PAUSE).await;
        } else {
            states.prepare(&mut body);
            self.pause = FIRST_PAUSE;
            answers(&mut asked, deadline, states.lifetime()).await?;
        }
        let answers = self.collect(asked, deadline);
        if self.answers != answers {
            let answers = Answers::new(answers.clone()).map_err(ToolError::protocol)?;
            ctx.received().add(answers);
        }
        self.answers = answers;
        ctx.resume(Exchange::resume(body));
        Ok(())
    }

    /// Sends the questions that the client does not have already, in order.
    fn send(&self, input: &InputRequired) -> Result<Vec<Asked>, ToolError> {
        let mut asked = Vec::new();
        for request in &input.requests {
            let is_open = |page: &Page| request.key == page.key;
            if request.question.kind() == Kind::Url && self.pages.iter().any(is_open) {
                continue;
            }
            let elicitation = match request.question.kind() {
                Kind::Url => Some(random_id()?),
                _ => None,
            };
            let id = elicitation.as_deref().unwrap_or_default();
            let reason = request.reason.as_deref();
            let (method, params) = written(self.session.revision, &request.question, reason, id)
                .map_err(|what| ToolError::new(format!("the client cannot be asked for {what}")))?;
            let number = self.ctx.number();
            asked.push(Asked {
                key: request.key.clone().into_owned(),
                elicitation,
                pending: self
                    .session
                    .ask(self.out, number, method, params.as_deref()),
                answer: None,
            });
        }
        Ok(asked)
    }

    /// All answers of a round as `inputResponses` has them. Pages that the user has agreed to open are kept in mind.
    fn collect(&mut self, asked: Vec<Asked>, deadline: Instant) -> String {
        #[derive(Deserialize)]
        struct Action<'a> {
            action: std::borrow::Cow<'a, str>,
        }
        let mut json = vec![b'{'];
        let mut push = |key: &str, answer: &str| {
            if json.len() > 1 {
                json.push(b',');
            }
            write_str(&mut json, key);
            json.push(b':');
            json.extend_from_slice(answer.as_bytes());
        };
        for page in &self.pages {
            push(&page.key, r#"{"action":"accept"}"#);
        }
        for asked in asked {
            let answer = asked.answer.unwrap_or_default();
            push(&asked.key, &answer);
            let action = serde_json::from_str::<Action<'_>>(&answer);
            if let Some(elicitation) = asked.elicitation
                && action.is_ok_and(|answer| answer.action == "accept")
            {
                self.pages.push(Page {
                    key: asked.key,
                    elicitation,
                    until: deadline,
                });
            }
        }
        json.push(b'}');
        String::from_utf8(json).unwrap_or_default()
    }

    /// Forgets pages that are not asked for any more, and tells the client so.
    ///
    /// Specification: client/elicitation, Completion Notifications for URL Mode Elicitation.
    fn leave_pages(&mut self, is_asked: impl Fn(&Page) -> bool) {
        self.pages.retain(|page| {
            let stays = is_asked(page);
            if !stays {
                self.session.complete(&page.elicitation, self.out);
            }
            stays
        });
    }

    async fn rest(&mut self, longest: Duration) {
        let pause = self.pause.min(longest);
        self.pause = (pause * 2).min(longest);
        until(Instant::now() + pause).await;
    }
}

impl Session {
    /// Tells the client that what it has opened a page for is done.
    fn complete(&self, elicitation: &str, out: &Arc<dyn Outgoing>) {
        let mut message =
            br#"{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"#.to_vec();
        write_str(&mut message, elicitation);
        message.extend_from_slice(b"}}");
        out.send(0, message);
    }
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
async fn answers(
    asked: &mut [Asked],
    deadline: Instant,
    lifetime: Duration,
) -> Result<(), ToolError> {
    let mut late = until(deadline);
    std::future::poll_fn(|cx| {
        let mut is_waiting = false;
        for asked in &mut *asked {
            if asked.answer.is_some() {
                continue;
            }
            match asked.pending.poll(cx) {
                Poll::Pending => is_waiting = true,
                Poll::Ready(Ok(answer)) if answer.starts_with('{') => asked.answer = Some(answer),
                Poll::Ready(Ok(_)) => {
                    return Poll::Ready(Err(ToolError::new(format!(
                        "the client's answer to `{}` is no object",
                        asked.key
                    ))));
                }
                Poll::Ready(Err(none)) => return Poll::Ready(Err(said(&asked.key, none))),
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
        NoAnswer::Ended => format!("the client has gone before it answered `{key}`"),
    })
}
