//! [`BodyCount`]: how often tools' own code ran.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::{
    CallLayer, Context, LayerFuture, Next,
    function::Running,
    outcome::{CallResult, Interrupt, Reason},
    spec::OnceSpec,
};

/// Counts how often the body of each tool was begun.
///
/// A layer sees the rounds of a call and not what happens in them, so the count is not made there: the server
/// tells when every question has settled, or the arguments were read, and the body is next. Rounds that only
/// ask do not count, and neither do calls that a refusal, bad arguments or a spent key has ended. A body that
/// panicked or was cancelled does count; one that asks by hand counts in each round, because it runs in each.
///
/// Put it on the builder, and keep a clone:
///
/// ```
/// use mcp_server::prelude::*;
/// use mcp_server::testing::{BodyCount, TestHost};
/// use serde_json::json;
///
/// /// Adds two numbers.
/// #[tool]
/// async fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let bodies = BodyCount::new();
/// let server = Server::builder("calculator", "1.0.0")
///     .tools(tools![add])
///     .layer(bodies.clone())
///     .build()?;
/// let host = TestHost::new(&server);
/// host.call("add", json!({"a": 1, "b": 2})).await.assert_text("3");
/// host.call("add", json!({"a": "one"})).await.assert_tool_error("`/a` must be");
/// bodies.assert_ran("add", 1);
/// # Ok::<(), mcp_server::BuildError>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, Default)]
pub struct BodyCount(Arc<Mutex<BTreeMap<&'static str, u32>>>);

impl BodyCount {
    /// Nothing counted yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How often the body of a tool was begun.
    #[must_use]
    pub fn of(&self, tool: &str) -> u32 {
        self.lock().get(tool).copied().unwrap_or_default()
    }

    /// Asserts how often the body of a tool was begun.
    ///
    /// # Panics
    ///
    /// If it was another number of times.
    #[track_caller]
    pub fn assert_ran(&self, tool: &str, times: u32) {
        let ran = self.of(tool);
        assert!(
            ran == times,
            "the body of `{tool}` ran {ran} times, expected {times}"
        );
    }

    pub(crate) fn add(&self, tool: &'static str) {
        *self.lock().entry(tool).or_default() += 1;
    }

    fn take_back(&self, tool: &'static str) {
        if let Some(count) = self.lock().get_mut(tool) {
            *count -= 1;
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<&'static str, u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CallLayer for BodyCount {
    fn call<'a>(&'a self, ctx: Context, next: Next<'a>) -> LayerFuture<'a> {
        ctx.count_bodies(self);
        next.run(ctx)
    }
}

/// Counts the body of a tool that neither asks by parameters nor has a key: nothing tells when that begins, only
/// that it did not, where the arguments could not be read.
pub(crate) async fn counted(ctx: Context, running: Running) -> CallResult {
    let spec = ctx.spec();
    let bare = spec.markers.is_empty() && spec.once != OnceSpec::Key;
    let Some(count) = ctx.body_count().filter(|_| bare) else {
        return running.await;
    };
    count.add(spec.name);
    let result = running.await;
    if let Err(Interrupt(Reason::Arguments(_))) = &result {
        count.take_back(spec.name);
    }
    result
}
