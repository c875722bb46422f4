//! Walks a tool's markers in order: runs the resolvers, consults the answers, collects what is left
//! to ask.
//!
//! Motivation: nothing is kept between the rounds of a call, so each round starts again from the
//! top. A resolver's own code always runs; an answer counts only when the resolver asks, and only
//! for the very question that was shown. That makes a round a pure function of the arguments, the
//! sealed exchange and the answers that came with it.

use std::{borrow::Cow, future::Future};

use mcp_core::rpc::RpcError;

use super::{
    Ask, Kind, Marker, Refusal, Settlement,
    ask::{Source, Step},
    exchange::{Answer, Exchange},
    open::Open,
    question::{Body, Fits, Question},
    responses::{InputResponses, accepted, elicit_answer, fitted, wrong_kind},
};
use crate::{
    call::Call,
    context::Context,
    error::ToolError,
    once::Finished,
    outcome::{Interrupt, Reason, Request},
    spec::{FunctionSpec, OnceSpec},
    state::{self, Asked, Digest},
};

/// In how many rounds in a row a question may change before the call fails.
const CHANGES: u32 = 2;

/// How many bytes of answers, memos and flows a call may learn while more is to be asked. The rest of a state is for what it
/// is bound to, and for the questions.
const MAX_LEARNED: usize = state::MAX_PAYLOAD - 4 * 1024;

/// The markers of one call in one round.
#[derive(Debug)]
pub struct Asking<'c> {
    ctx: &'c Context,
    spec: &'c FunctionSpec,
    /// The answers that came with a verified state.
    responses: InputResponses<'c>,
    waiting: bool,
}

/// A marker parameter on its way to its value.
#[derive(Debug)]
pub struct Slot<M>(Option<M>);

impl<M> Slot<M> {
    /// The value for a later question, once it is there.
    pub fn ready(&self) -> Option<&M> {
        self.0.as_ref()
    }

    /// The value for the body, after everything has settled.
    ///
    /// # Errors
    ///
    /// None after [`Asking::settle`] has passed.
    pub fn take(self) -> Result<M, Interrupt> {
        self.0.ok_or(Interrupt(Reason::Waiting))
    }
}

/// What came of looking a question up.
enum Found<'c> {
    /// The content of an answer, and the question once more, in case it cannot be read.
    Content(Cow<'c, str>, Question),
    Refused(Refusal),
    /// The client cannot be asked, and there is a value for that.
    Unsupported,
    /// Nothing: the question goes out.
    Shown,
}

impl Call {
    /// Begins with the markers: the questions that are asked whatever the arguments need their
    /// capability now, not after the person has answered half.
    ///
    /// # Errors
    ///
    /// `-32021` where the client did not declare it.
    pub fn asking(&self) -> Result<Asking<'_>, Interrupt> {
        let ctx = self.context();
        let spec = ctx.spec();
        if spec.markers.iter().any(|marker| marker.unconditional) {
            ctx.kinds().require(Kind::Form)?;
        }
        Ok(Asking {
            ctx,
            spec,
            responses: ctx.input_responses(),
            waiting: false,
        })
    }
}

#[expect(
    clippy::manual_async_fn,
    reason = "`Send` is said here, so that the compiler need not look for each tool"
)]
impl<'c> Asking<'c> {
    /// Runs a resolver that has to wait for something, and asks what it says.
    ///
    /// # Errors
    ///
    /// As [`ask`](Self::ask).
    pub fn resolve<M: Marker, F>(
        &mut self,
        index: usize,
        depends_on: &[usize],
        resolver: F,
    ) -> impl Future<Output = Result<Slot<M>, Interrupt>> + Send
    where
        F: Future<Output = Result<Ask<M::Value>, ToolError>> + Send,
    {
        async move { self.ask(index, depends_on, resolver.await).await }
    }

    /// Asks what a resolver said that sees earlier markers, given by their index.
    ///
    /// The caller's future holds this one: that it is `Send` is said here, so that the compiler need not look for each tool.
    ///
    /// # Errors
    ///
    /// What ends the call: the resolver's error, a refusal, a missing capability.
    pub fn ask<M: Marker>(
        &mut self,
        index: usize,
        depends_on: &[usize],
        ask: Result<Ask<M::Value>, ToolError>,
    ) -> impl Future<Output = Result<Slot<M>, Interrupt>> + Send {
        async move {
            let ask = ask?;
            let (question, settle) = match ask.step {
                Step::Ready(value) => return self.settled(Settlement::Value(value)).await,
                Step::Question(question, settle) => (question, settle),
            };
            let open = self.open(index, depends_on, ask.at_most, ask.has_fallback);
            let settlement = match self.find(&open, question)? {
                Found::Shown => return Ok(self.wait()),
                Found::Refused(Refusal::Declined) => Settlement::Declined,
                Found::Refused(Refusal::Cancelled) => Settlement::Cancelled,
                Found::Unsupported => {
                    Settlement::Value(settle(Source::Unsupported).map_err(ToolError::from)?)
                }
                Found::Content(content, question) => match settle(Source::Answer(&content)) {
                    Ok(value) => Settlement::Value(value),
                    // The type has changed since, or is stricter than its schema.
                    Err(_) => {
                        self.ask_again(&open, question)?;
                        return Ok(self.wait());
                    }
                },
            };
            if !open.is_last {
                self.forget(&open);
            }
            self.settled(settlement).await
        }
    }

    /// Leaves a marker open: one it depends on is not there yet.
    pub fn wait<M>(&mut self) -> Slot<M> {
        self.waiting = true;
        Slot(None)
    }

    /// Ends the walk: either everything has settled, or the questions go out.
    ///
    /// # Errors
    ///
    /// The questions; or, for a tool that runs once, the refusal to run again.
    pub fn settle(
        &mut self,
        once: Option<String>,
    ) -> impl Future<Output = Result<(), Interrupt>> + Send {
        async move {
            if self.waiting {
                return Err(Interrupt(Reason::Waiting));
            }
            self.claim(once).await?;
            self.ctx.body_begins();
            Ok(())
        }
    }

    /// Boxed where there is something to claim: the future of a tool that does not stays small.
    async fn claim(&self, key: Option<String>) -> Result<(), Interrupt> {
        match (self.spec.once, key) {
            (OnceSpec::Exchange, _) => Box::pin(self.ctx.claim_exchange()).await?,
            (_, Some(key)) => Box::pin(self.ctx.claim_key(key)).await?,
            _ => {}
        }
        Ok(())
    }

    async fn settled<M: Marker>(
        &self,
        settlement: Settlement<M::Value>,
    ) -> Result<Slot<M>, Interrupt> {
        match M::settle(settlement) {
            Ok(marker) => Ok(Slot(Some(marker))),
            Err(refusal) => Err(Box::pin(self.refused(refusal)).await),
        }
    }

    /// A refusal settles the exchange: the same answers cannot be played again.
    async fn refused(&self, refusal: Refusal) -> Interrupt {
        if let Err(interrupt) = self.claim(None).await {
            return interrupt;
        }
        self.ctx.finish_claims(Finished::Done).await;
        ToolError::new(refusal.text()).into()
    }

    fn open<'s>(
        &self,
        index: usize,
        depends_on: &'s [usize],
        at_most: Option<u32>,
        has_fallback: bool,
    ) -> Open<'s>
    where
        'c: 's,
    {
        Open {
            marker: &self.spec.markers[index],
            pin: &self.ctx.function().pins[index],
            is_last: !self.waiting && index + 1 == self.spec.markers.len(),
            depends_on,
            at_most,
            has_fallback,
        }
    }

    /// Finds the answer to a question, or shows it.
    fn find(&self, open: &Open<'_>, question: Question) -> Result<Found<'c>, Interrupt> {
        if let Some(fault) = question.fault() {
            return Err(self.faulty(open, &fault));
        }
        let mut exchange = self.ctx.exchange();
        let digest = open.digest(&question, self.spec, &exchange);
        match self.look_up(open, &question, digest, &mut exchange)? {
            Some(Answer::Content(content)) => return Ok(Found::Content(content, question)),
            Some(Answer::Refused(refusal)) => return Ok(Found::Refused(refusal)),
            None => {}
        }
        match self.ctx.may_be_shown(&question) {
            Ok(()) => {
                self.show(open, question, digest, None, &mut exchange)?;
                Ok(Found::Shown)
            }
            Err(_) if open.has_fallback => Ok(Found::Unsupported),
            Err(error) => Err(error.into()),
        }
    }

    #[cold]
    fn faulty(&self, open: &Open<'_>, fault: &str) -> Interrupt {
        tracing::error!(
            tool = self.spec.name,
            parameter = open.marker.parameter,
            "the question cannot be asked: {fault}"
        );
        RpcError::internal_error("a question of this tool cannot be asked").into()
    }

    /// The answer to a question: a recorded one before a fresh one.
    fn look_up(
        &self,
        open: &Open<'_>,
        question: &Question,
        digest: Digest,
        exchange: &mut Exchange,
    ) -> Result<Option<Answer<'c>>, Interrupt> {
        let key = open.marker.parameter;
        let elicited = question.kind().is_elicitation();
        if let Some(recorded) = exchange.payload.answers.get(key) {
            if recorded.question == digest
                && let Some(answer) = Answer::recorded(&recorded.value, elicited)
            {
                return Ok(Some(answer));
            }
            // Another question than the one that was answered.
            exchange.payload.answers.remove(key);
        }
        let shown = exchange
            .payload
            .asked
            .get(key)
            .is_some_and(|before| before.question == digest);
        if shown
            && let Some(raw) = self.responses.get(key)
            && let Some(answer) = self.fresh(open, question, raw, exchange)?
        {
            if open.is_last && !self.ctx.function().layers_may_ask {
                return Ok(Some(answer));
            }
            let value = answer.record(elicited);
            let fits = exchange.payload.size() + value.len() <= MAX_LEARNED;
            if fits {
                let recorded = state::Answer {
                    question: digest,
                    value,
                };
                exchange.payload.answers.insert(key.to_owned(), recorded);
            }
            // That a layer could ask is no reason to refuse the last answer.
            if fits || open.is_last {
                return Ok(Some(answer));
            }
            self.too_long(key, elicited, exchange)?;
        }
        Ok(None)
    }

    /// An answer cannot be read after all.
    #[cold]
    fn ask_again(&self, open: &Open<'_>, question: Question) -> Result<(), Interrupt> {
        self.ctx.may_be_shown(&question)?;
        let mut exchange = self.ctx.exchange();
        exchange.payload.answers.remove(open.marker.parameter);
        let digest = open.digest(&question, self.spec, &exchange);
        let reason = "The answer could not be read. Please answer again.".to_owned();
        self.show(open, question, digest, Some(reason), &mut exchange)
    }

    /// A question has settled. Only now: how often it was shown must not be forgotten over an answer that cannot be read.
    fn forget(&self, open: &Open<'_>) {
        let mut exchange = self.ctx.exchange();
        exchange.payload.asked.remove(open.marker.parameter);
    }

    /// An answer does not fit into the state: a person is asked for a shorter one, a client's model is not.
    fn too_long(
        &self,
        key: &str,
        elicited: bool,
        exchange: &mut Exchange,
    ) -> Result<(), Interrupt> {
        if !elicited {
            return Err(ToolError::new(format!(
                "the answer to `{key}` is too long: all answers of a call together may have \
                 {MAX_LEARNED} bytes; call again with less to ask for"
            ))
            .into());
        }
        let reason = format!(
            "The last answer was too long: all answers together may have {MAX_LEARNED} bytes."
        );
        exchange.reasons.insert(key.to_owned(), reason);
        Ok(())
    }

    /// Reads a fresh answer; `None` where there is nothing in it to record.
    fn fresh(
        &self,
        open: &Open<'_>,
        question: &Question,
        raw: &'c str,
        exchange: &mut Exchange,
    ) -> Result<Option<Answer<'c>>, Interrupt> {
        let key = open.marker.parameter;
        match &question.body {
            Body::Form(form) => match accepted(elicit_answer(raw)?)? {
                Err(refusal) => Ok(Some(Answer::Refused(refusal))),
                Ok(content) => match fitted(form.schema(), content) {
                    Ok(content) => Ok(Some(Answer::Content(content))),
                    Err(why) => {
                        let reason = format!("The last answer did not fit: {why}.");
                        exchange.reasons.insert(key.to_owned(), reason);
                        Ok(None)
                    }
                },
            },
            // That the user agreed to open the page says nothing of what happened there.
            Body::Url(_) => Ok(accepted(elicit_answer(raw)?)?.err().map(Answer::Refused)),
            Body::Sampling { fits, .. } | Body::Roots { fits } => typed(key, raw, *fits),
        }
    }

    #[cold]
    fn unstable(&self, key: &str) -> Interrupt {
        tracing::error!(
            tool = self.spec.name,
            parameter = key,
            "the question differs in each round though nothing that leads to it does; \
             build it from the arguments and earlier answers alone, or use `ctx.memo`"
        );
        ToolError::new(format!(
            "the question of `{key}` changes in each round, so it cannot be answered; \
             this is a fault of the server"
        ))
        .into()
    }

    /// Puts a question into this round's result.
    fn show(
        &self,
        open: &Open<'_>,
        question: Question,
        digest: Digest,
        reason: Option<String>,
        exchange: &mut Exchange,
    ) -> Result<(), Interrupt> {
        let key = open.marker.parameter;
        let depends = match open.depends_on {
            [] => Digest::NOTHING,
            _ => Digest::of_parts("depends", &open.pins(self.spec, exchange)),
        };
        let before = exchange.payload.asked.get(key);
        let times = before.map_or(0, |before| before.times);
        let changes = match before {
            Some(before) if before.question != digest && before.depends == depends => {
                before.changes + 1
            }
            _ => 0,
        };
        if changes >= CHANGES {
            return Err(self.unstable(key));
        }
        if open.at_most.is_some_and(|most| times >= most) {
            return Err(ToolError::new(format!(
                "the question of `{key}` was shown {times} times and was not settled; \
                 call again to begin anew"
            ))
            .into());
        }
        let reason = reason.or_else(|| exchange.reasons.remove(key));
        let shown = Asked {
            question: digest,
            depends,
            times: times + 1,
            changes,
        };
        exchange.payload.asked.insert(key.to_owned(), shown);
        exchange.pending.push(Request {
            key: Cow::Borrowed(key),
            question,
            reason,
        });
        Ok(())
    }
}

/// An answer that must be of the protocol's own type.
fn typed<'a>(key: &str, raw: &'a str, fits: Fits) -> Result<Option<Answer<'a>>, Interrupt> {
    if fits(raw) {
        Ok(Some(Answer::Content(raw.into())))
    } else {
        Err(wrong_kind(key).into())
    }
}
