//! From a message to the method that answers it.
//!
//! A transport hands over one message and gets the answer in its own buffer, or a call that is
//! still under way. Most calls end in their first poll, where the message was read, and never
//! become a task.

use std::{
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    task::{self, Poll},
};

use mcp_core::rpc::{Fault, Message, RawId, RequestId, RpcError, begin_result, parse, parse_raw};

use crate::{
    legacy,
    methods::{self, Asked, Params, Step},
    peer::Peer,
    running::{Answered, Running, panicked, refuse},
    server::Server,
    subscriptions::listen,
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
            Poll::Pending => Accepted::Running(Running::call(id, ctx, work)),
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
