//! A call that asks, on an earlier client's open request: each question is a request to the client, and the rounds
//! are those of today, in memory.
//!
//! Motivation: a function is called again with what it was answered, as in any round, so whatever asks works by itself:
//! questions of parameters, and an [`Outcome::InputRequired`] made by hand. Nothing is sealed, because nothing leaves.

use std::{
    future::{Future, poll_fn},
    pin::pin,
    sync::Arc,
    task::Poll,
    time::Duration,
};

use mcp_core::rpc::RpcError;
use tokio::time::{Instant, sleep_until};

use super::{
    explain,
    later::Answers,
    object::Object,
    pages::{Kept, Page, Waiting, leave, required},
    questions::{Shown, take_answers},
    session::Session,
};
use crate::{
    asking::Exchange,
    context::Context,
    error::ToolError,
    methods::{CallFuture, binding_of, body, may_ask, write_outcome},
    outcome::{InputRequired, Outcome},
    reporter::Outgoing,
    state::{Content, StateBody},
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
        leave(&mut rounds.pages, out, &|_| false);
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

/// A round that the client has been asked.
struct Round {
    body: StateBody,
    shown: Vec<Shown>,
    waits_for: WaitsFor,
    /// For so long at most.
    until: Instant,
}

enum WaitsFor {
    /// A pause.
    Time,
    /// A user who is busy on a page.
    Pages,
    Answers,
}

impl Rounds<'_> {
    /// Asks what a round has come to, and prepares the next one.
    async fn ask(&mut self, input: InputRequired) -> Result<(), ToolError> {
        let mut round = self.put(input)?;
        self.wait(&mut round).await?;
        if let WaitsFor::Answers = round.waits_for {
            self.pause = FIRST_PAUSE;
            self.patience = self.patience_from_now();
        }
        let answers = self.collect(&mut round.shown);
        self.begin(round.body, answers)
    }

    /// Returns when there is what the round waits for, or when it is time to go on without.
    ///
    /// # Errors
    ///
    /// How the call ends.
    async fn wait(&self, round: &mut Round) -> Result<(), ToolError> {
        let mut late = pin!(sleep_until(round.until));
        let mut woken = pin!(self.session.woken.notified());
        poll_fn(|cx| {
            let is_there = match round.waits_for {
                WaitsFor::Time => false,
                WaitsFor::Pages => {
                    // Before it looks, so that it misses nothing.
                    while woken.as_mut().poll(cx).is_ready() {
                        woken.set(self.session.woken.notified());
                    }
                    if self.session.has_ended() {
                        return Poll::Ready(Err(ToolError::new(
                            "the client has gone before the user was done on a page",
                        )));
                    }
                    self.waiting.as_ref().is_some_and(Waiting::is_done)
                }
                WaitsFor::Answers => take_answers(&mut round.shown, cx)?,
            };
            if is_there {
                return Poll::Ready(Ok(()));
            }
            late.as_mut().poll(cx).map(|()| match round.waits_for {
                WaitsFor::Answers => Err(self.too_late()),
                WaitsFor::Time | WaitsFor::Pages => Ok(()),
            })
        })
        .await
    }

    #[cold]
    fn too_late(&self) -> ToolError {
        ToolError::new(format!(
            "nobody has answered within {} s; call again to ask anew",
            self.ctx.server().states().lifetime().as_secs()
        ))
    }

    /// Asks what is not asked yet.
    fn put(&mut self, input: InputRequired) -> Result<Round, ToolError> {
        let (ctx, states) = (self.ctx, self.ctx.server().states());
        // What the round has claimed has ended with it.
        ctx.forget_claims();
        if ctx.is_given_up() {
            return Err(ToolError::new("the client has given the call up"));
        }
        may_ask(ctx, ctx.round(), &input)?;
        let is_of = |page: &Page, request| page.is_of(request, input.of_parameters);
        let is_asked = |page: &Page| input.requests.iter().any(|request| is_of(page, request));
        leave(&mut self.pages, self.out, &is_asked);
        let deadline = Instant::now() + states.lifetime();
        let mut shown = Vec::new();
        for request in &input.requests {
            if !self.pages.iter().any(|page| is_of(page, request)) {
                shown.push(self.session.put(ctx, self.out, request, deadline)?);
            }
        }
        let is_empty = input.requests.is_empty();
        let mut body = {
            let mut exchange = ctx.exchange();
            exchange.note(input);
            body(ctx, &mut exchange).map_err(ToolError::protocol)?
        };
        let (waits_for, until) = match (is_empty, shown.is_empty()) {
            (_, false) => {
                states.prepare(&mut body.stamp);
                (WaitsFor::Answers, deadline)
            }
            (true, true) => {
                states.prepare(&mut body.stamp);
                (WaitsFor::Time, self.next_pause(STATE_PAUSE))
            }
            (false, true) => {
                body = self.wait_for_pages(body)?;
                (WaitsFor::Pages, self.next_pause(PAGE_PAUSE))
            }
        };
        Ok(Round {
            body,
            shown,
            waits_for,
            until,
        })
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
        self.begin(kept.content.body, kept.answers)
            .map_err(|_| RpcError::internal_error("the call cannot be continued"))
    }

    /// Makes sure that the call waits for a user who is busy on a page; then comes the same round again.
    ///
    /// # Errors
    ///
    /// The user was not done in time, or the client has waited long enough: then the call is kept, for when it comes again.
    fn wait_for_pages(&mut self, mut body: StateBody) -> Result<StateBody, ToolError> {
        // What is shown already is not shown once more.
        for page in &self.pages {
            if let Some(shown) = body.payload.asked.get_mut(&page.key) {
                shown.times = shown.times.saturating_sub(1);
            }
        }
        let now = Instant::now();
        if let Some(page) = self.pages.iter().find(|page| page.until <= now) {
            return Err(ToolError::new(format!(
                "what the user was to do on the page of `{}` was not done in time; call again to begin anew",
                page.key
            )));
        }
        let mut flows = Vec::new();
        for (_, id) in body.payload.flows.iter() {
            flows.push(id.clone());
        }
        let waiting = match self.waiting.take() {
            Some(waiting) if waiting.is_for(&flows) => waiting,
            _ => self.session.wait_for(self.ctx.server(), flows),
        };
        if now < self.patience {
            self.waiting = Some(waiting);
            return Ok(body);
        }
        let error = required(&self.pages);
        let binding = binding_of(self.ctx, body.stamp.arguments);
        let answers = self.collect(&mut []);
        self.session.keep(Kept {
            // That of the page which was shown last.
            until: self.pages.last().map_or(now, |page| page.until),
            content: Content::kept(body, &binding),
            pages: std::mem::take(&mut self.pages),
            answers,
            _waiting: waiting,
        });
        Err(ToolError::protocol(error))
    }

    /// All answers of a round as `inputResponses` has them. Pages that the user has agreed to open are kept in mind.
    fn collect(&mut self, shown: &mut [Shown]) -> String {
        let mut answers = Object::default();
        for page in &self.pages {
            answers.set(&page.key, r#"{"action":"accept"}"#);
        }
        for shown in shown {
            answers.set(&shown.key, &shown.answer);
            if shown.agreed()
                && let Some(page) = shown.page.take()
            {
                self.pages.push(page);
            }
        }
        answers.to_json()
    }

    /// When the next pause is over.
    fn next_pause(&mut self, longest: Duration) -> Instant {
        let pause = self.pause.min(longest);
        self.pause = (pause * 2).min(longest);
        Instant::now() + pause
    }

    fn patience_from_now(&self) -> Instant {
        Instant::now() + self.ctx.server().options().page_patience
    }
}
