//! A limit on the size of one call's result.

use super::{CallLayer, LayerFuture, Next};
use crate::{Context, Outcome, ToolError};

/// Puts an error that says so in the place of a larger result: for functions that are to give less than
/// [`Builder::max_result_bytes`](crate::Builder::max_result_bytes) lets through.
///
/// What is counted is the content, whatever is around it on the wire.
#[derive(Debug, Clone, Copy)]
pub struct ResultLimit(usize);

impl ResultLimit {
    /// At most so many bytes.
    pub fn new(bytes: usize) -> Self {
        Self(bytes)
    }
}

impl CallLayer for ResultLimit {
    fn call<'a>(&'a self, ctx: Context, next: Next<'a>) -> LayerFuture<'a> {
        Box::pin(async move {
            let Self(limit) = *self;
            let outcome = next.run(ctx.clone()).await?;
            if let Outcome::Complete(reply) = &outcome
                && reply.size() > limit
            {
                return Err(ToolError::new(format!(
                    "the result has more than {limit} bytes, the limit of `{}`; ask for less",
                    ctx.name()
                ))
                .into());
            }
            Ok(outcome)
        })
    }
}
