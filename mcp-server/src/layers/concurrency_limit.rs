//! A limit on how many calls run at once.

use tokio::sync::Semaphore;

use super::{CallLayer, LayerFuture, Next};
use crate::{Context, ToolError};

/// Lets at most so many calls run at once, and refuses the others with a tool error that says so.
///
/// A call that waits for a person holds no place: it is not running.
#[derive(Debug)]
pub struct ConcurrencyLimit {
    places: Semaphore,
    limit: usize,
}

impl ConcurrencyLimit {
    /// At most so many calls at once.
    pub fn new(limit: usize) -> Self {
        Self {
            places: Semaphore::new(limit),
            limit,
        }
    }
}

impl CallLayer for ConcurrencyLimit {
    fn call<'a>(&'a self, ctx: Context, next: Next<'a>) -> LayerFuture<'a> {
        Box::pin(async move {
            match self.places.try_acquire() {
                Ok(_place) => next.run(ctx).await,
                Err(_) => Err(ToolError::new(format!(
                    "{} calls are running already, which is the limit; try again later",
                    self.limit
                ))
                .into()),
            }
        })
    }
}
