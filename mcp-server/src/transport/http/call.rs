//! A call that waits, for as long as its client does.

use std::{
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context as Task, Poll},
};

use tokio::sync::{Notify, oneshot};

use crate::{
    background,
    running::{Answer, Open, Running},
};

/// A call that waits. Dropping it is the client's cancellation.
///
/// A call that has claimed something is not dropped with it: its effect may be under way, so it goes
/// on as a task of its own.
///
/// Specification: basic/transports/streamable-http, Cancellation.
pub(crate) struct Call {
    open: Open,
    answer: Option<AnswerFuture>,
    working: Working,
}

type AnswerFuture = Pin<Box<dyn Future<Output = Option<Answer>> + Send>>;

impl Call {
    pub(crate) fn new(running: Running, calls: &Arc<Calls>) -> Self {
        Self {
            open: running.open(),
            answer: Some(Box::pin(running.answer())),
            working: Working::new(calls),
        }
    }

    /// Lets it go on as a task, for as long as its client is there.
    ///
    /// A body is polled as its client reads. One that does not read would otherwise stop the call, and so
    /// hold what the call holds, past every limit of time. A subscription holds nothing.
    pub(super) fn go_on_alone(&mut self) {
        if matches!(self.open, Open::Subscription(_)) {
            return;
        }
        let Some(answer) = self.answer.take() else {
            return;
        };
        let working = self.working.clone();
        let (answered, waiting) = oneshot::channel();
        background::task(Box::pin(async move {
            let _ = answered.send(answer.await);
            drop(working);
        }));
        self.answer = Some(Box::pin(async move { waiting.await.ok().flatten() }));
    }

    /// The answer; none where there is none any more.
    pub(crate) fn poll(&mut self, cx: &mut Task<'_>) -> Poll<Option<Answer>> {
        let Some(future) = &mut self.answer else {
            return Poll::Ready(None);
        };
        let polled = future.as_mut().poll(cx);
        if polled.is_ready() {
            self.answer = None;
        }
        polled
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let Some(answer) = self.answer.take() else {
            return;
        };
        self.open.give_up();
        if self.open.has_claims() && tokio::runtime::Handle::try_current().is_ok() {
            let working = self.working.clone();
            background::task(Box::pin(async move {
                answer.await;
                drop(working);
            }));
            return;
        }
        // What the call holds may panic when it is dropped: that is no fault of the connection's.
        if catch_unwind(AssertUnwindSafe(|| drop(answer))).is_err() {
            tracing::error!("a call panicked when it was dropped");
        }
    }
}

/// Counts the calls that wait, those that go on without their clients among them.
#[derive(Default)]
pub(crate) struct Calls {
    working: AtomicUsize,
    ended: Notify,
}

impl Calls {
    pub(super) fn working(&self) -> usize {
        self.working.load(Ordering::Acquire)
    }

    /// Returns once there is none.
    pub(super) async fn ended(&self) {
        let mut ended = std::pin::pin!(self.ended.notified());
        loop {
            // Registered before the count is read, so that the last one is not missed.
            ended.as_mut().enable();
            if self.working() == 0 {
                return;
            }
            ended.as_mut().await;
            ended.set(self.ended.notified());
        }
    }
}

/// Counts a call for as long as it works.
struct Working(Arc<Calls>);

impl Working {
    fn new(calls: &Arc<Calls>) -> Self {
        calls.working.fetch_add(1, Ordering::AcqRel);
        Self(Arc::clone(calls))
    }
}

impl Clone for Working {
    fn clone(&self) -> Self {
        Self::new(&self.0)
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        if self.0.working.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.0.ended.notify_waiters();
        }
    }
}
