//! [`Running`]: a request that waits for something, from its first poll to its answer.

use std::{
    fmt,
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::Arc,
    task::{self, Poll},
};

use mcp_core::rpc::{RawId, RequestId, RpcError, begin_result, write_error};

use crate::{
    context::Context,
    error::reference,
    methods::{self, Done, Work},
    subscriptions::{Listening, Subscriber},
};

/// What an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answered {
    Result,
    /// An error of this code.
    Error(i32),
}

/// The answer to a request that waited.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) message: Vec<u8>,
    #[cfg_attr(
        not(feature = "http"),
        expect(dead_code, reason = "statuses are HTTP's")
    )]
    pub(crate) is: Answered,
}

/// A request that waits for something.
#[derive(Debug)]
pub(crate) enum Running {
    /// A call, or another request with a context of its own.
    Call(Waiting),
    /// A subscription, which waits for its end.
    Listening(Listening),
}

/// A request with a context, and what it waits for.
pub(crate) struct Waiting {
    id: Box<str>,
    ctx: Context,
    work: Work,
}

impl fmt::Debug for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Waiting")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

/// What a transport keeps of a request under way.
#[derive(Debug, Clone)]
pub(crate) enum Open {
    Call(Context),
    Subscription(Arc<Subscriber>),
}

impl Open {
    /// The client gives it up.
    pub(crate) fn give_up(&self) {
        match self {
            Self::Call(ctx) => ctx.give_up(),
            Self::Subscription(subscriber) => subscriber.give_up(),
        }
    }

    /// Nothing more comes from the client: what would go on for ever ends.
    pub(crate) fn close(&self) {
        if let Self::Subscription(subscriber) = self {
            subscriber.close();
        }
    }

    /// Whether it must not be dropped: its effect may be under way.
    #[cfg(feature = "http")]
    pub(crate) fn has_claims(&self) -> bool {
        match self {
            Self::Call(ctx) => ctx.has_claims(),
            Self::Subscription(_) => false,
        }
    }

    /// Tells its messages from those of others.
    pub(crate) fn number(&self) -> u64 {
        match self {
            Self::Call(ctx) => ctx.number(),
            Self::Subscription(subscriber) => subscriber.number(),
        }
    }
}

impl Future for Work {
    type Output = Done;

    fn poll(self: Pin<&mut Self>, cx: &mut task::Context<'_>) -> Poll<Done> {
        match self.get_mut() {
            Self::Call(call) => Pin::new(call).poll(cx).map(Done::Call),
            Self::Request(request) => request.as_mut().poll(cx).map(Done::Request),
        }
    }
}

impl Done {
    /// Appends the whole answer.
    pub(crate) fn write(self, ctx: &Context, id: RawId<'_>, out: &mut Vec<u8>) -> Answered {
        match self {
            Self::Call(result) => methods::write(ctx, id, result, out),
            Self::Request(Ok(result)) => {
                begin_result(out, id);
                out.extend_from_slice(&result);
                out.push(b'}');
                Answered::Result
            }
            Self::Request(Err(error)) => refuse(out, Some(id), &error),
        }
    }
}

impl Running {
    pub(crate) fn call(id: RawId<'_>, ctx: Context, work: Work) -> Self {
        Self::Call(Waiting {
            id: id.as_json().into(),
            ctx,
            work,
        })
    }

    pub(crate) fn id(&self) -> RequestId {
        match self {
            Self::Call(call) => raw_id(&call.id).to_id(),
            Self::Listening(listening) => raw_id(listening.id().get()).to_id(),
        }
    }

    /// What a transport keeps of it.
    pub(crate) fn open(&self) -> Open {
        match self {
            Self::Call(call) => Open::Call(call.ctx.clone()),
            Self::Listening(listening) => Open::Subscription(Arc::clone(listening.subscriber())),
        }
    }

    /// The answer; or none, where the client has given the request up.
    ///
    /// A call that has claimed something is not dropped: its effect may be under way.
    pub(crate) async fn answer(self) -> Option<Answer> {
        let Waiting { id, ctx, mut work } = match self {
            Self::Call(call) => call,
            Self::Listening(listening) => {
                return listening.await.map(|message| Answer {
                    message,
                    is: Answered::Result,
                });
            }
        };
        let result = {
            let mut given_up = std::pin::pin!(ctx.given_up());
            let mut waits = true;
            std::future::poll_fn(|cx| {
                waits = waits && given_up.as_mut().poll(cx).is_pending();
                if !waits && !ctx.has_claims() {
                    return Poll::Ready(None);
                }
                // Functions have their own; this is for what stands around them, as in `accept`.
                let polled = catch_unwind(AssertUnwindSafe(|| Pin::new(&mut work).poll(cx)));
                match polled {
                    Ok(polled) => polled.map(Some),
                    Err(_) => Poll::Ready(Some(Done::Request(Err(panicked())))),
                }
            })
            .await
        };
        // What the call holds may panic when it is dropped; the answer goes out all the same.
        let dropped = catch_unwind(AssertUnwindSafe(|| drop(work)));
        if dropped.is_err() {
            tracing::error!(id, "a request panicked when it was dropped");
        }
        if ctx.is_given_up() {
            return None;
        }
        let result = result?;
        let mut message = Vec::with_capacity(256);
        let written = catch_unwind(AssertUnwindSafe(|| {
            result.write(&ctx, raw_id(&id), &mut message)
        }));
        let is = written.unwrap_or_else(|_| {
            message.clear();
            refuse(&mut message, Some(raw_id(&id)), &panicked())
        });
        Some(Answer { message, is })
    }
}

/// Appends an error as the answer.
pub(crate) fn refuse(out: &mut Vec<u8>, id: Option<RawId<'_>>, error: &RpcError) -> Answered {
    write_error(out, id, error);
    Answered::Error(error.code)
}

/// What the client sees of a panic outside of a tool's own work.
pub(crate) fn panicked() -> RpcError {
    let reference = reference();
    tracing::error!(%reference, "a message's handling panicked");
    RpcError::internal_error(format!(
        "the message could not be handled; the server's log has the reason under {reference}"
    ))
}

fn raw_id(json: &str) -> RawId<'_> {
    RawId::new(json).expect("it was an id when the request came")
}
