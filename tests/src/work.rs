//! Tools that wait until the test lets them go, and the counts of what became of them.

use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use mcp_server::prelude::*;
use tokio::sync::Notify;

/// What the tools do, as a test sees it.
#[derive(Debug, Default)]
pub struct Work {
    /// Bodies that have begun.
    pub begun: AtomicU32,
    /// Bodies with a [`Guard`] that have ended, in whatever way.
    pub dropped: AtomicU32,
    /// Bodies that have come to their end, or noticed that they shall end.
    pub done: AtomicU32,
    /// Lets those go on that wait.
    pub gate: Notify,
}

/// Counts when it is dropped.
#[derive(Debug)]
pub struct Guard<'a>(pub &'a Work);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.0.dropped.fetch_add(1, Ordering::SeqCst);
    }
}

/// Waits until the count is there.
///
/// # Panics
///
/// After 10 s.
pub async fn reached(count: &AtomicU32, expected: u32) {
    for _ in 0..1000 {
        if count.load(Ordering::SeqCst) == expected {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{} in place of {expected}", count.load(Ordering::SeqCst));
}

/// Waits for ever.
#[tool]
pub async fn forever(work: State<Work>) -> String {
    let _guard = Guard(&work);
    work.begun.fetch_add(1, Ordering::SeqCst);
    std::future::pending().await
}

/// Waits for the gate without a word.
#[tool]
pub async fn silent(work: State<Work>) -> String {
    let _guard = Guard(&work);
    work.begun.fetch_add(1, Ordering::SeqCst);
    work.gate.notified().await;
    work.done.fetch_add(1, Ordering::SeqCst);
    "said at last".to_owned()
}

/// Has an effect that must not be broken off.
#[tool]
pub async fn pay(order: String, work: State<Work>, ctx: Context) -> Result<String, ToolError> {
    ctx.claim(&order).await?;
    work.begun.fetch_add(1, Ordering::SeqCst);
    work.gate.notified().await;
    work.done.fetch_add(1, Ordering::SeqCst);
    Ok(format!("{order} paid"))
}

/// Works on its thread until it is told to end.
#[tool]
pub fn spin(work: State<Work>, ctx: Context) -> String {
    work.begun.fetch_add(1, Ordering::SeqCst);
    for _ in 0..2000 {
        if ctx.is_cancelled() {
            work.done.fetch_add(1, Ordering::SeqCst);
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    "ended".to_owned()
}
