//! From a message to the method that answers it.
//!
//! A transport hands over one message and gets the answer in its own buffer, or a call that is
//! still under way. Most calls end in their first poll, where the message was read, and never
//! become a task.

use std::{
    fmt,
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::Arc,
    task::{self, Poll},
};

use mcp_core::rpc::{
    Fault, Message, RawId, RequestId, RpcError, begin_result, parse, parse_raw, write_error,
};

use crate::{
    context::Context,
    error::reference,
    legacy,
    methods::{self, Asked, Done, Params, Step, Work},
    peer::Peer,
    server::Server,
    subscriptions::{Listening, Subscriber, listen},
};

/// What a transport knows of a message beside the message itself.
pub(crate) trait Arrival {
    /// Whether a request with this id is still being answered.
    fn is_open(&self, id: RawId<'_>) -> bool;

    /// Compares a request with what came beside it.
    ///
    /// # Errors
    ///
    /// What is answered where they differ.
    fn check(
        &self,
        server: &Server,
        peer: &Peer,
        method: &str,
        params: &Params<'_>,
    ) -> Result<(), RpcError> {
        let _ = (server, peer, method, params);
        Ok(())
    }

    /// What an earlier client has agreed on when it connected, or may still agree on.
    fn earlier(&self) -> Option<&legacy::Connection> {
        None
    }
}

/// What became of a message.
#[derive(Debug)]
pub(crate) enum Accepted {
    /// It wants no answer.
    Noted,
    /// It answers what nobody has asked.
    Unasked,
    /// It is answered.
    #[cfg_attr(
        not(feature = "http"),
        expect(dead_code, reason = "statuses are HTTP's")
    )]
    Answered(Answered),
    /// A call or a subscription that waits.
    Running(Running),
    /// The client gives a request up.
    Cancel(RequestId),
}

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
    fn write(self, ctx: &Context, id: RawId<'_>, out: &mut Vec<u8>) -> Answered {
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

/// What the client sees of a panic outside of a tool's own work.
fn panicked() -> RpcError {
    let reference = reference();
    tracing::error!(%reference, "a message's handling panicked");
    RpcError::internal_error(format!(
        "the message could not be handled; the server's log has the reason under {reference}"
    ))
}

fn raw_id(json: &str) -> RawId<'_> {
    RawId::new(json).expect("it was an id when the request came")
}

impl Server {
    /// Handles one message: appends the answer to `out`, if there is one already.
    pub(crate) fn accept(
        &self,
        line: &[u8],
        peer: &Peer,
        arrival: &dyn Arrival,
        cx: &mut task::Context<'_>,
        out: &mut Vec<u8>,
    ) -> Accepted {
        let before = out.len();
        // Tools have their own; this is for what stands around them, such as a codec or an error's text.
        let handled = catch_unwind(AssertUnwindSafe(|| {
            self.handle(line, peer, arrival, cx, out)
        }));
        handled.unwrap_or_else(|_| {
            out.truncate(before);
            let message = std::str::from_utf8(line)
                .ok()
                .and_then(|line| parse_raw(line).ok());
            match message {
                Some(Message::Request { id, .. }) => {
                    Accepted::Answered(refuse(out, Some(id), &panicked()))
                }
                _ => Accepted::Noted,
            }
        })
    }

    fn handle(
        &self,
        line: &[u8],
        peer: &Peer,
        arrival: &dyn Arrival,
        cx: &mut task::Context<'_>,
        out: &mut Vec<u8>,
    ) -> Accepted {
        // One check of the whole message costs less than one for each string in it.
        let Ok(line) = std::str::from_utf8(line) else {
            let error = RpcError::parse_error("the message is not UTF-8");
            return Accepted::Answered(refuse(out, None, &error));
        };
        // Boxed: it is large, and would be copied at each step of the way here.
        let message = parse(line, |scan| Params::read(scan).map(Box::new));
        if legacy::may_be_earlier(&message)
            && let Some(earlier) = arrival.earlier()
            && let Some(accepted) = earlier.accept(self, line, peer, arrival, cx, out)
        {
            return accepted;
        }
        match message {
            Ok(Message::Request { id, .. }) if arrival.is_open(id) => still_open(id, out),
            Ok(Message::Request { id, method, params }) => {
                let params = params.unwrap_or_default();
                let answered = arrival
                    .check(self, peer, &method, &params)
                    .and_then(|()| self.request(line, id, &method, &params, peer, cx, out));
                answered.unwrap_or_else(|error| Accepted::Answered(refuse(out, Some(id), &error)))
            }
            Ok(Message::Notification { method, params }) => {
                notification(&method, params.as_deref())
            }
            Ok(Message::Response { .. }) => {
                tracing::debug!("a response was left out: this server sends no requests");
                Accepted::Unasked
            }
            Err(Fault::Message { id, error }) => {
                tracing::warn!(%error, "a message was refused");
                Accepted::Answered(refuse(out, id, &error))
            }
            Err(Fault::Params {
                id: None, method, ..
            }) => {
                tracing::warn!(method = short(&method), "a notification cannot be read");
                Accepted::Noted
            }
            Err(Fault::Params {
                id: Some(id),
                method,
                params,
            }) => {
                let error = match self.method_named(&method) {
                    Some(_) => methods::diagnose(params.get()),
                    None => unknown(&method),
                };
                Accepted::Answered(refuse(out, Some(id), &error))
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one message, once")]
    fn request(
        &self,
        line: &str,
        id: RawId<'_>,
        method: &str,
        params: &Params<'_>,
        peer: &Peer,
        cx: &mut task::Context<'_>,
        out: &mut Vec<u8>,
    ) -> Result<Accepted, RpcError> {
        let Some(found) = self.method_named(method) else {
            return Err(unknown(method));
        };
        let request = Asked {
            line,
            method,
            params,
            terms: params.terms()?,
            peer,
        };
        self.method(found, id, &request, cx, out)
    }

    fn method(
        &self,
        method: Method,
        id: RawId<'_>,
        request: &Asked<'_>,
        cx: &mut task::Context<'_>,
        out: &mut Vec<u8>,
    ) -> Result<Accepted, RpcError> {
        let before = out.len();
        let answer: methods::Method = match method {
            Method::CallTool => {
                return Ok(self.wait(id, methods::call_tool(self, request)?, cx, out));
            }
            Method::Listen => {
                return Ok(match listen(self, id, request.params, request.peer, out)? {
                    Some(listening) => Accepted::Running(Running::Listening(listening)),
                    None => Accepted::Answered(Answered::Result),
                });
            }
            Method::ListTools => methods::list_tools,
            Method::Discover => methods::discover,
            Method::Other(method) => method,
        };
        begin_result(out, id);
        let step = answer(self, request, out).inspect_err(|_| out.truncate(before))?;
        if let Step::Wait(..) = &step {
            out.truncate(before);
        }
        Ok(self.wait(id, step, cx, out))
    }

    pub(crate) fn has_method(&self, name: &str) -> bool {
        self.method_named(name).is_some()
    }

    /// Begins what an earlier client has asked for, `out` being empty.
    pub(crate) fn step(&self, request: &Asked<'_>, out: &mut Vec<u8>) -> Result<Step, RpcError> {
        match self.method_named(request.method) {
            Some(Method::CallTool) => methods::call_tool(self, request),
            Some(Method::ListTools) => methods::list_tools(self, request, out),
            Some(Method::Other(method)) => method(self, request, out),
            // The earlier revisions do not have them.
            Some(Method::Listen | Method::Discover) | None => {
                Err(RpcError::method_not_found(request.method))
            }
        }
    }

    /// Polls what a request waits for, once.
    pub(crate) fn wait(
        &self,
        id: RawId<'_>,
        step: Step,
        cx: &mut task::Context<'_>,
        out: &mut Vec<u8>,
    ) -> Accepted {
        let Step::Wait(ctx, mut work) = step else {
            out.push(b'}');
            return Accepted::Answered(Answered::Result);
        };
        match Pin::new(&mut work).poll(cx) {
            Poll::Ready(done) => Accepted::Answered(done.write(&ctx, id, out)),
            Poll::Pending => Accepted::Running(Running::Call(Waiting {
                id: id.as_json().into(),
                ctx,
                work,
            })),
        }
    }

    /// The method of this name, if this server has what it is for.
    fn method_named(&self, name: &str) -> Option<Method> {
        let inner = self.inner();
        match name {
            "tools/call" => inner.has_tools().then_some(Method::CallTool),
            "tools/list" => inner.has_tools().then_some(Method::ListTools),
            "subscriptions/listen" => Some(Method::Listen),
            "server/discover" => Some(Method::Discover),
            _ => {
                let mut others = inner.methods.iter();
                let (_, method) = others.find(|(known, _)| *known == name)?;
                Some(Method::Other(*method))
            }
        }
    }
}

/// The methods that are served.
#[derive(Clone, Copy)]
enum Method {
    CallTool,
    ListTools,
    Listen,
    Discover,
    /// One that comes with what it is for.
    Other(methods::Method),
}

/// Refuses a request whose id another one still has.
///
/// An error that carried the id would be taken for the other request's answer.
pub(crate) fn still_open(id: RawId<'_>, out: &mut Vec<u8>) -> Accepted {
    let error = RpcError::invalid_request(format!(
        "a request with the id {} is still being answered",
        short(id.as_json())
    ));
    Accepted::Answered(refuse(out, None, &error))
}

pub(crate) fn refuse(out: &mut Vec<u8>, id: Option<RawId<'_>>, error: &RpcError) -> Answered {
    write_error(out, id, error);
    Answered::Error(error.code)
}

fn unknown(method: &str) -> RpcError {
    if method == legacy::INITIALIZE {
        legacy::refuse_initialize()
    } else {
        RpcError::method_not_found(method)
    }
}

/// The beginning of what a client has sent, for logs and errors.
fn short(text: &str) -> String {
    text.chars().take(100).collect()
}

fn notification(method: &str, params: Option<&Params<'_>>) -> Accepted {
    if method == CANCELLED {
        let id = params.and_then(|params| params.request_id);
        return cancel(id, params.and_then(|params| params.reason));
    }
    tracing::debug!(method = short(method), "a notification was left out");
    Accepted::Noted
}

/// The notification that gives a request up.
pub(crate) const CANCELLED: &str = "notifications/cancelled";

/// The client gives a request up.
pub(crate) fn cancel(id: Option<&str>, reason: Option<&str>) -> Accepted {
    let Some(id) = id.and_then(RawId::new) else {
        tracing::warn!("a cancellation names no request");
        return Accepted::Noted;
    };
    tracing::debug!(
        id = short(id.as_json()),
        reason = reason.map(short),
        "a request was given up"
    );
    Accepted::Cancel(id.to_id())
}
