//! A limit on the time of one round of a call.

use std::time::Duration;

use super::{CallLayer, LayerFuture, Next};
use crate::{Context, ToolError};

/// Ends a call that takes too long, with a tool error that says so.
///
/// The clock runs while the server works, never while a person answers: each round has its own.
/// A call that has claimed something is not cut off, because its effect may still happen; its token
/// is cancelled, and it is waited for.
///
/// `#[tool(timeout = "30s")]` puts one around a single tool.
#[derive(Debug, Clone, Copy)]
pub struct TimeLimit(Duration);

impl TimeLimit {
    /// At most this long.
    pub fn new(limit: Duration) -> Self {
        Self(limit)
    }
}

impl CallLayer for TimeLimit {
    fn call<'a>(&'a self, ctx: Context, next: Next<'a>) -> LayerFuture<'a> {
        Box::pin(async move {
            let mut call = next.run(ctx.clone());
            if let Ok(result) = tokio::time::timeout(self.0, &mut call).await {
                return result;
            }
            ctx.cancel();
            if ctx.has_claims() {
                return call.await;
            }
            tracing::warn!(tool = ctx.name(), limit = ?self.0, "a call took too long");
            Err(ToolError::new(format!(
                "the call took longer than {:?}, which is its limit; what it has begun may still happen, \
                 so look before it is called again",
                self.0
            ))
            .into())
        })
    }
}
