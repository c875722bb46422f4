//! A limit on the length of one call's message.

use super::{CallLayer, LayerFuture, Next};
use crate::{Context, ToolError};

/// Refuses calls whose message is longer, with an error that says so: for functions that take less than
/// [`Builder::max_message_bytes`](crate::Builder::max_message_bytes) lets through.
///
/// The message is counted as it came: arguments, answers to questions and `_meta` together.
#[derive(Debug, Clone, Copy)]
pub struct MessageLimit(usize);

impl MessageLimit {
    /// At most so many bytes.
    pub fn new(bytes: usize) -> Self {
        Self(bytes)
    }
}

impl CallLayer for MessageLimit {
    fn call<'a>(&'a self, ctx: Context, next: Next<'a>) -> LayerFuture<'a> {
        Box::pin(async move {
            let Self(limit) = *self;
            if ctx.received().len() > limit {
                return Err(ToolError::new(format!(
                    "the message is longer than {limit} bytes, the limit of `{}`; send less",
                    ctx.name()
                ))
                .into());
            }
            next.run(ctx).await
        })
    }
}
