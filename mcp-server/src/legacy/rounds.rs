//! A call that asks, on an earlier client's open request: each question is a request to the client, and the rounds
//! are those of today, in memory.
//!
//! Motivation: a function is called again with what it was answered, as in any round, so whatever asks works by itself:
//! questions of parameters, and an [`Outcome::InputRequired`] made by hand. Nothing is sealed, because nothing leaves.

use std::{sync::Arc, time::Duration};

use mcp_core::rpc::{RpcError, write_str};
use tokio::time::{Instant, sleep};

use super::{
    explain,
    later::Answers,
    pages::{Kept, Page, Waiting, required},
    questions::{Shown, answers},
    session::Session,
};
use crate::{
    asking::Exchange,
    context::Context,
    error::ToolError,
    methods::{CallFuture, body, may_ask, write_outcome},
    outcome::{InputRequired, Outcome},
    reporter::Outgoing,
    state::StateBody,
};

/// How long a call waits that is not done and asks nothing new, at first; twice as long each time.
const FIRST_PAUSE: Duration = Duration::from_millis(50);

/// The longest of these pauses where only a state goes round.
const STATE_PAUSE: Duration = Duration::from_millis(250);

/// The longest of these pauses where the user is busy on a page.
const PAGE_PAUSE: Duration = Duration::from_secs(1);

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
        waiting: None,
        bytes: 0,
        pause: FIRST_PAUSE,
        patience: Instant::now(),
    };
    if let Some(kept) = session.kept(ctx) {
        rounds.go_on(kept)?;
        call = CallFuture::function(ctx.clone());
    }
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
    if let Ok(Outcome::Complete(reply)) = &result
        && !reply.is_error()
    {
        rounds.leave_pages(|_| false);
    }
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
    /// Where it is told that something there is done.
    waiting: Option<Waiting>,
    /// How much the client has answered, all rounds together: it stays until the call ends.
    bytes: usize,
    pause: Duration,
    /// Until when the client waits for a user who is busy on a page.
    patience: Instant,
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
        let is_of = |page: &Page, request| page.is_of(request, input.of_parameters);
        let is_asked = |page: &Page| input.requests.iter().any(|request| is_of(page, request));
        self.leave_pages(is_asked);
        let deadline = Instant::now() + states.lifetime();
        let is_open = |request| self.pages.iter().any(|page| is_of(page, request));
        let mut shown = input
            .requests
            .iter()
            .filter(|request| !is_open(request))
            .map(|request| self.session.put(ctx, self.out, request, deadline))
            .collect::<Result<Vec<_>, _>>()?;
        let is_empty = input.requests.is_empty();
        let mut body = {
            let mut exchange = ctx.exchange();
            exchange.note(input);
            body(ctx, &mut exchange).map_err(ToolError::protocol)?
        };
        if is_empty {
            states.prepare(&mut body);
            sleep(self.next_pause(STATE_PAUSE)).await;
        } else if shown.is_empty() {
            body = self.wait_for_pages(body).await?;
        } else {
            states.prepare(&mut body);
            answers(&mut shown, deadline, states.lifetime()).await?;
            self.pause = FIRST_PAUSE;
            self.patience = self.patience_from_now();
        }
        let answers = self.collect(shown);
        self.begin(body, answers)
    }

    /// Begins the next round.
    fn begin(&mut self, body: StateBody, answers: String) -> Result<(), ToolError> {
        let received = self.ctx.received();
        if received.responses().as_json() != answers {
            self.bytes += answers.len();
            let most = self.ctx.server().options().max_message_bytes;
            if self.bytes > most {
                return Err(ToolError::new(format!(
                    "the answers to this call have more than {most} bytes; call again with less to ask for"
                )));
            }
            received.add(Answers::new(answers).map_err(ToolError::protocol)?);
        }
        self.ctx.resume(Exchange::resume(body));
        Ok(())
    }

    /// Goes on with what the same call had come to before.
    fn go_on(&mut self, kept: Kept) -> Result<(), RpcError> {
        self.pages = kept.pages;
        self.patience = self.patience_from_now();
        self.begin(kept.body, kept.answers)
            .map_err(|_| RpcError::internal_error("the call cannot be continued"))
    }

    /// Waits a while for a user who is busy on a page; then comes the same round again.
    ///
    /// # Errors
    ///
    /// The user was not done in time, or the client has waited long enough: then the call is kept, for when it comes again.
    async fn wait_for_pages(&mut self, mut body: StateBody) -> Result<StateBody, ToolError> {
        // What is shown already is not shown once more.
        for page in &self.pages {
            if let Some(mut shown) = body.payload.asked.remove(&page.key) {
                shown.times = shown.times.saturating_sub(1);
                body.payload.asked.insert(page.key.clone(), shown);
            }
        }
        let now = Instant::now();
        if let Some(page) = self.pages.iter().find(|page| page.until <= now) {
            return Err(ToolError::new(format!(
                "what the user was to do on the page of `{}` was not done in time; call again to begin anew",
                page.key
            )));
        }
        let flows: Vec<String> = body
            .payload
            .flows
            .iter()
            .map(|(_, id)| id.clone())
            .collect();
        let waiting = self
            .waiting
            .take()
            .filter(|waiting| waiting.is_for(&flows))
            .unwrap_or_else(|| self.session.wait_for(self.ctx.server(), flows));
        if now >= self.patience {
            let error = required(&self.pages);
            let answers = self.collect(Vec::new());
            self.session.keep(Kept {
                until: self
                    .pages
                    .iter()
                    .map(|page| page.until)
                    .max()
                    .unwrap_or(now),
                body,
                pages: std::mem::take(&mut self.pages),
                answers,
                _waiting: waiting,
            });
            return Err(ToolError::protocol(error));
        }
        let pause = self.next_pause(PAGE_PAUSE);
        waiting.rest(self.session, now + pause).await?;
        self.waiting = Some(waiting);
        Ok(body)
    }

    /// All answers of a round as `inputResponses` has them. Pages that the user has agreed to open are kept in mind.
    fn collect(&mut self, shown: Vec<Shown>) -> String {
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
        for shown in shown {
            push(&shown.key, &shown.answer);
            if shown.agreed() {
                self.pages.extend(shown.page);
            }
        }
        json.push(b'}');
        String::from_utf8(json).unwrap_or_default()
    }

    /// Forgets pages that are not asked for any more, and tells the client so.
    fn leave_pages(&mut self, is_asked: impl Fn(&Page) -> bool) {
        self.pages.retain(|page| {
            let stays = is_asked(page);
            if !stays {
                page.tell_done(self.out);
            }
            stays
        });
    }

    fn next_pause(&mut self, longest: Duration) -> Duration {
        let pause = self.pause.min(longest);
        self.pause = (pause * 2).min(longest);
        pause
    }

    fn patience_from_now(&self) -> Instant {
        Instant::now() + self.ctx.server().options().page_patience
    }
}
