//! Layers around calls.
//!
//! A layer sees a call after its principal and state were verified, with the tool's metadata and
//! the round, never the state's plaintext. HTTP has layers of its own, outside of these.

mod concurrency_limit;
mod message_limit;
mod result_limit;
mod time_limit;

use std::{fmt, future::Future, pin::Pin, sync::Arc};

pub use self::{
    concurrency_limit::ConcurrencyLimit, message_limit::MessageLimit, result_limit::ResultLimit,
    time_limit::TimeLimit,
};
use crate::{context::Context, methods::Invocation, outcome::CallResult};

/// A layer's work on one call.
pub type LayerFuture<'a> = Pin<Box<dyn Future<Output = CallResult> + Send + 'a>>;

/// Something around the calls of a server or of some of its tools: a limit, a measurement, a log.
///
/// ```
/// use std::time::Instant;
///
/// use mcp_server::{CallLayer, Context, LayerFuture, Next};
///
/// /// Tells how long each round of each call took.
/// struct Timing;
///
/// impl CallLayer for Timing {
///     fn call<'a>(&'a self, ctx: Context, next: Next<'a>) -> LayerFuture<'a> {
///         Box::pin(async move {
///             let begin = Instant::now();
///             let result = next.run(ctx.clone()).await;
///             println!("{}, round {}: {:?}", ctx.name(), ctx.round(), begin.elapsed());
///             result
///         })
///     }
/// }
/// ```
pub trait CallLayer: Send + Sync + 'static {
    /// Handles a call: looks at it, hands it on with [`Next::run`] or not, looks at the outcome.
    fn call<'a>(&'a self, ctx: Context, next: Next<'a>) -> LayerFuture<'a>;
}

impl<L: CallLayer + ?Sized> CallLayer for Arc<L> {
    fn call<'a>(&'a self, ctx: Context, next: Next<'a>) -> LayerFuture<'a> {
        (**self).call(ctx, next)
    }
}

/// What is inside of a layer.
pub struct Next<'a> {
    layers: &'a [Arc<dyn CallLayer>],
}

impl fmt::Debug for Next<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Next")
            .field("layers", &self.layers.len())
            .finish()
    }
}

impl<'a> Next<'a> {
    pub(crate) fn new(layers: &'a [Arc<dyn CallLayer>]) -> Self {
        Self { layers }
    }

    /// Runs the layers that are left, and then the tool.
    pub fn run(self, ctx: Context) -> LayerFuture<'a> {
        match self.layers {
            [first, rest @ ..] => first.call(ctx, Next::new(rest)),
            [] => Box::pin(Invocation::new(ctx)),
        }
    }
}
