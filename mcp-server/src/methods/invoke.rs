//! Runs a function: its layers, its own future, and what has to happen when that ends.
//!
//! Motivation: most calls end when they are first polled. So the tool's own future is polled where
//! the message was read, without another one around it; what a call needs beyond that is boxed.

use std::{
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    task::{Context as Task, Poll, ready},
};

use mcp_core::rpc::RpcError;

use crate::{
    background,
    call::Call,
    context::Context,
    error::reference,
    function::Running,
    layers::Next,
    once::Finished,
    outcome::{CallResult, InputRequired, Interrupt, Outcome, Reason},
    spec::KindSpec,
    tool::ToolResult,
};

/// A call on its way to its result.
pub(crate) enum CallFuture {
    /// A function without layers.
    Plain(Invocation),
    /// Anything else.
    Boxed(Running),
    /// It did not get as far as the function. Boxed, so that the future of a call that does stays small.
    Ended(Option<Box<CallResult>>),
}

impl CallFuture {
    /// Runs the function with its layers.
    pub(crate) fn function(ctx: Context) -> Self {
        if ctx.function().layers.is_empty() {
            return Self::Plain(Invocation::new(ctx));
        }
        Self::Boxed(Box::pin(async move {
            // The layers' own code begins inside of the future, where a panic is caught.
            let mut layered =
                Box::pin(async { Next::new(&ctx.function().layers).run(ctx.clone()).await });
            let result =
                std::future::poll_fn(|cx| poll_unwinding(|| layered.as_mut().poll(cx))).await;
            drop(layered);
            result.unwrap_or_else(|Panicked| failed(&ctx))
        }))
    }
}

impl Future for CallFuture {
    type Output = CallResult;

    fn poll(self: Pin<&mut Self>, cx: &mut Task<'_>) -> Poll<CallResult> {
        match self.get_mut() {
            Self::Plain(invocation) => Pin::new(invocation).poll(cx),
            Self::Boxed(call) => call.as_mut().poll(cx),
            Self::Ended(result) => match result.take() {
                Some(result) => Poll::Ready(*result),
                None => Poll::Pending,
            },
        }
    }
}

impl From<CallResult> for CallFuture {
    fn from(result: CallResult) -> Self {
        Self::Ended(Some(Box::new(result)))
    }
}

/// The function itself, inside of all layers.
pub(crate) struct Invocation {
    ctx: Context,
    /// None until it is polled: the function's own code begins where a panic is caught.
    running: Option<Running>,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// With the arguments as they came.
    Given,
    /// With arguments that only their form kept from being read.
    Mended,
    /// The body has ended, its claims have not.
    Finishing,
}

impl Invocation {
    pub(crate) fn new(ctx: Context) -> Self {
        Self {
            ctx,
            running: None,
            stage: Stage::Given,
        }
    }
}

impl Invocation {
    /// Begins again with arguments in the form that serde reads.
    ///
    /// # Errors
    ///
    /// What the call comes to where they do not fit.
    #[cold]
    fn mend(&mut self, fault: &str) -> Result<(), CallResult> {
        let ctx = &self.ctx;
        match ctx.function().mend_arguments(ctx.arguments(), fault) {
            Ok(mended) => ctx.coerce(mended),
            Err(text) => return Err(unfit(ctx, text)),
        }
        self.running = None;
        self.stage = Stage::Mended;
        Ok(())
    }
}

/// What the parameters of a call ask.
#[cold]
fn asked(ctx: &Context) -> InputRequired {
    InputRequired::of_parameters(std::mem::take(&mut ctx.exchange().pending))
}

/// A layer may drop a call that has claimed something: the claim must not stay in flight.
impl Drop for Invocation {
    fn drop(&mut self) {
        if self.stage != Stage::Finishing
            && self.ctx.has_claims()
            && tokio::runtime::Handle::try_current().is_ok()
        {
            let ctx = self.ctx.clone();
            background::task(Box::pin(async move {
                ctx.finish_claims(Finished::Failed).await;
            }));
        }
    }
}

fn start(ctx: &Context) -> Running {
    let running = ctx.function().body.run(&Call::new(ctx.clone()));
    #[cfg(feature = "testing")]
    let running = Box::pin(crate::testing::counted(ctx.clone(), running));
    running
}

impl Future for Invocation {
    type Output = CallResult;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Task<'_>) -> Poll<CallResult> {
        loop {
            let Self { ctx, running, .. } = &mut *self;
            let polled = ready!(poll_unwinding(|| {
                let running = running.get_or_insert_with(|| start(ctx));
                running.as_mut().poll(cx)
            }));
            let result = polled.unwrap_or_else(|Panicked| failed(&self.ctx));
            if self.stage == Stage::Given
                && let Err(Interrupt(Reason::Arguments(fault))) = &result
            {
                if let Err(unfit) = self.mend(&fault.0) {
                    return Poll::Ready(unfit);
                }
            } else if self.stage != Stage::Finishing && self.ctx.has_claims() {
                self.running = Some(Box::pin(finish(self.ctx.clone(), result)));
                self.stage = Stage::Finishing;
            } else if let Err(Interrupt(Reason::Waiting)) = result {
                return Poll::Ready(Ok(Outcome::InputRequired(asked(&self.ctx))));
            } else {
                return Poll::Ready(result);
            }
        }
    }
}

/// Ends what the body has claimed, by how it ended.
async fn finish(ctx: Context, result: CallResult) -> CallResult {
    let how = match &result {
        Ok(Outcome::Complete(reply)) if !reply.is_error() => Finished::Done,
        _ => Finished::Failed,
    };
    ctx.finish_claims(how).await;
    result
}

/// What a peer sees of a panic.
#[cold]
fn failed(ctx: &Context) -> CallResult {
    let reference = reference();
    tracing::error!(function = ctx.name(), %reference, "a call panicked");
    let kind = ctx.spec().kind_name();
    let text = format!("the {kind} failed; the server's log has the reason under {reference}");
    refused(ctx, RpcError::internal_error(text))
}

/// Arguments that do not fit are for the model where a tool was called: it can correct itself.
///
/// Specification: server/tools, Error Handling.
pub(super) fn unfit(ctx: &Context, text: String) -> CallResult {
    refused(ctx, RpcError::invalid_params(text))
}

/// An error, as its text where the result has a place for it.
#[cold]
fn refused(ctx: &Context, error: RpcError) -> CallResult {
    match ctx.spec().kind {
        KindSpec::Tool(_) => Ok(Outcome::Complete(ToolResult::error(error.message).into())),
        KindSpec::Prompt | KindSpec::Resource(_) => Err(error.into()),
    }
}

/// A call has panicked; its text went to the panic hook, and never to the client.
struct Panicked;

/// Polls and turns a panic into a value; after one, the future must not be polled again.
fn poll_unwinding<T>(poll: impl FnOnce() -> Poll<T>) -> Poll<Result<T, Panicked>> {
    // What the future shared with others is behind locks that tell of their poisoning.
    match catch_unwind(AssertUnwindSafe(poll)) {
        Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
        Ok(Poll::Pending) => Poll::Pending,
        Err(_) => Poll::Ready(Err(Panicked)),
    }
}
