//! `tools/list` and `tools/call`.
//!
//! A call's way: find the tool, open the state, call, close the state.
//!
//! Specification: server/tools, basic/patterns/mrtr.

use std::{
    borrow::Cow,
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    task::{self, Poll},
};

use mcp_core::rpc::{RawId, RpcError, begin_result, write_error, write_json};

use super::{Params, Received, Terms, string};
use crate::{
    asking::{Exchange, InputResponses},
    builder::millis,
    context::{Call, Context},
    error::{Chain, Kind, ToolError, reference},
    layers::Next,
    once::Finished,
    outcome::{CallResult, InputRequired, Interrupt, Outcome, Reason},
    peer::Peer,
    reporter::Reporter,
    server::Server,
    state::{Binding, StateError, digest_arguments},
    tool::{ToolResult, write_result},
};

/// Appends one page of the list.
///
/// # Errors
///
/// `-32602` for a cursor that this server did not give.
pub(crate) fn list(
    server: &Server,
    params: &Params<'_>,
    out: &mut Vec<u8>,
) -> Result<(), RpcError> {
    let inner = server.inner();
    let page = match params.cursor {
        None => 0,
        cursor => {
            let cursor = string(cursor, "cursor")?;
            *inner.by_cursor.get(&*cursor).ok_or_else(|| {
                RpcError::invalid_params("unknown `cursor`; begin again without one")
            })?
        }
    };
    let page = &inner.pages[page];
    out.extend_from_slice(br#"{"resultType":"complete","tools":["#);
    out.extend_from_slice(page.json.as_bytes());
    out.push(b']');
    if let Some(cursor) = &page.next_cursor {
        out.extend_from_slice(br#","nextCursor":"#);
        write_json(out, cursor.as_str());
    }
    out.extend_from_slice(br#","ttlMs":"#);
    write_json(out, &millis(inner.options.list_ttl));
    out.extend_from_slice(br#","cacheScope":"private","_meta":{"#);
    out.extend_from_slice(inner.writer.server_info.as_bytes());
    Ok(())
}

/// A call that was found fit to run.
pub(crate) struct Prepared {
    pub(crate) ctx: Context,
    state: Option<String>,
}

/// Finds the tool and keeps what the call needs.
///
/// # Errors
///
/// `-32602` where the parameters are off or the tool is not known.
pub(crate) fn call(
    server: &Server,
    line: &str,
    params: &Params<'_>,
    terms: Terms,
    peer: &Peer,
) -> Result<Prepared, RpcError> {
    let name = string(params.name, "name")?;
    let Some(&tool) = server.inner().by_name.get(&*name) else {
        let shown: String = name.chars().take(128).collect();
        return Err(RpcError::invalid_params(format!("unknown tool `{shown}`")));
    };
    if params
        .arguments
        .is_some_and(|raw| !raw.get().starts_with('{'))
    {
        return Err(RpcError::invalid_params("`arguments` must be an object"));
    }
    if let Some(responses) = params.input_responses {
        InputResponses::check(responses.get())?;
    }
    let state = params
        .request_state
        .map(|raw| string(Some(raw), "requestState").map(Cow::into_owned))
        .transpose()?;
    let meta = params.meta.as_ref();
    let reporter = Reporter::wanted(
        meta.and_then(|meta| meta.progress_token),
        meta.and_then(|meta| meta.log_level),
        &peer.outgoing,
    );
    Ok(Prepared {
        ctx: Context::new(
            server.clone(),
            tool,
            Received::new(line, params, terms),
            peer.principal.clone(),
            reporter,
        ),
        state,
    })
}

impl Prepared {
    /// Runs the call up to its result.
    pub(crate) async fn run(self) -> CallResult {
        let Self { ctx, state } = self;
        let server = ctx.server();
        server.states().refresh().await;
        if let Some(state) = state {
            open(&ctx, &state)?;
        }
        let tool = ctx.tool();
        if let Err(text) = tool.check_arguments(ctx.arguments()) {
            return Ok(Outcome::Complete(ToolResult::error(text)));
        }
        let result = if tool.layers.is_empty() {
            Unwinding(std::pin::pin!(invoke(Call::new(ctx.clone())))).await
        } else {
            Unwinding(Next::new(&tool.layers).run(ctx.clone())).await
        };
        match result {
            Ok(result) => result,
            Err(Panicked) => {
                ctx.finish_claims(Finished::Failed).await;
                let reference = reference();
                tracing::error!(tool = ctx.tool_name(), %reference, "a call panicked");
                Ok(Outcome::Complete(ToolResult::error(format!(
                    "the tool failed; the server's log has the reason under {reference}"
                ))))
            }
        }
    }
}

/// Calls the tool itself, and ends what it has claimed.
pub(crate) async fn invoke(call: Call) -> CallResult {
    let ctx = call.context().clone();
    let result = attempt(&ctx, call).await;
    if ctx.has_claims() {
        let how = match &result {
            Ok(Outcome::Complete(result)) if !result.is_error => Finished::Done,
            _ => Finished::Failed,
        };
        ctx.finish_claims(how).await;
    }
    result
}

/// Arguments that only their form keeps from being read are mended once.
async fn attempt(ctx: &Context, call: Call) -> CallResult {
    let tool = ctx.tool();
    let result = run(ctx, call.clone()).await;
    let Err(Interrupt(Reason::Arguments(fault))) = &result else {
        return result;
    };
    match tool.mend_arguments(ctx.arguments(), &fault.0) {
        Ok(mended) => {
            ctx.coerce(mended);
            run(ctx, call).await
        }
        Err(text) => Ok(Outcome::Complete(ToolResult::error(text))),
    }
}

/// The tool's own work.
fn run(ctx: &Context, call: Call) -> impl Future<Output = CallResult> {
    let running = ctx.tool().handler.call(call);
    #[cfg(feature = "testing")]
    let running = crate::testing::counted(ctx, running);
    running
}

/// What binds a state to a request.
fn binding<'a>(ctx: &'a Context) -> Result<Binding<'a>, RpcError> {
    let arguments = digest_arguments(ctx.received().given_arguments())
        .map_err(|error| RpcError::invalid_params(error.to_string()))?;
    Ok(Binding {
        method: "tools/call",
        target: ctx.tool_name(),
        arguments,
        audience: &ctx.server().inner().audience,
        principal: ctx.principal(),
    })
}

/// Verifies the state that came with the request.
fn open(ctx: &Context, sealed: &str) -> Result<(), RpcError> {
    let server = ctx.server();
    match server.states().open(sealed, &binding(ctx)?) {
        Ok(body) => *ctx.exchange() = Exchange::resume(body),
        Err(StateError::Expired) if server.options().ask_again_when_expired => {}
        Err(_) => return Err(RpcError::invalid_params(StateError::MESSAGE)),
    }
    Ok(())
}

/// Appends the whole answer to a call.
pub(crate) fn write(ctx: &Context, id: RawId<'_>, result: CallResult, out: &mut Vec<u8>) {
    ctx.close();
    let before = out.len();
    begin_result(out, id);
    match write_outcome(ctx, result, out) {
        Ok(()) => out.push(b'}'),
        Err(error) => {
            out.truncate(before);
            write_error(out, Some(id), &error);
        }
    }
}

fn write_outcome(ctx: &Context, result: CallResult, out: &mut Vec<u8>) -> Result<(), RpcError> {
    let tool = ctx.tool();
    let writer = &ctx.server().inner().writer;
    let (result, wrapped) = match result {
        Ok(Outcome::Complete(result)) => match checked(ctx, &result) {
            Ok(()) => (result, tool.wraps_result()),
            Err(error) => (error, false),
        },
        Ok(Outcome::InputRequired(input)) => return write_input_required(ctx, Some(input), out),
        Err(Interrupt(Reason::Waiting)) => return write_input_required(ctx, None, out),
        Err(Interrupt(Reason::Arguments(fault))) => (
            ToolResult::error(format!("the arguments do not fit: {}", fault.0)),
            false,
        ),
        Err(Interrupt(Reason::Tool(error))) => (disclose(ctx, error)?, false),
    };
    write_result(out, &result, wrapped, writer);
    Ok(())
}

/// Compares a structured result with its schema, where that is wanted.
fn checked(ctx: &Context, result: &ToolResult) -> Result<(), ToolResult> {
    let Some(json) = &result.structured else {
        return Ok(());
    };
    if result.is_error || !ctx.server().options().validate_results {
        return Ok(());
    }
    ctx.tool().check_output(json).map_err(|why| {
        let reference = reference();
        tracing::error!(tool = ctx.tool_name(), %reference, "the result does not fit its schema: {why}");
        ToolResult::error(format!(
            "the tool's result does not fit its own schema; the server's log has the reason under {reference}"
        ))
    })
}

/// What the model sees of an error.
///
/// # Errors
///
/// The error itself, where it is one of the protocol.
fn disclose(ctx: &Context, error: ToolError) -> Result<ToolResult, RpcError> {
    match error.into_kind() {
        Kind::Shown(text) => Ok(ToolResult::error(text)),
        Kind::Protocol(error) => Err(error),
        Kind::Foreign { source, shown } => {
            let chain = Chain(&*source);
            if shown || ctx.server().options().show_errors {
                tracing::warn!(tool = ctx.tool_name(), error = %chain, "a tool failed");
                return Ok(ToolResult::error(chain.to_string()));
            }
            let reference = reference();
            tracing::error!(tool = ctx.tool_name(), %reference, error = %chain, "a tool failed");
            Ok(ToolResult::error(format!(
                "the tool failed; the server's log has the reason under {reference}"
            )))
        }
    }
}

/// Appends the questions of this round and the sealed state.
///
/// Specification: basic/patterns/mrtr, InputRequiredResult.
fn write_input_required(
    ctx: &Context,
    by_hand: Option<InputRequired>,
    out: &mut Vec<u8>,
) -> Result<(), RpcError> {
    let server = ctx.server();
    let mut exchange = ctx.exchange();
    if exchange.round() > server.options().max_rounds {
        let text = format!(
            "this call was answered with questions {} times, which is the server's limit; \
             call again to begin anew",
            server.options().max_rounds
        );
        write_result(out, &ToolResult::error(text), false, &server.inner().writer);
        return Ok(());
    }
    out.extend_from_slice(br#"{"resultType":"input_required","#);
    let sealed = match by_hand {
        None => {
            write_requests(
                out,
                exchange
                    .pending
                    .iter()
                    .map(|p| (p.key.as_str(), &p.question, p.reason.as_deref())),
            );
            true
        }
        Some(input) => {
            check_by_hand(ctx, &input)?;
            write_requests(
                out,
                input
                    .requests
                    .iter()
                    .map(|(key, q)| (key.as_str(), q, None)),
            );
            exchange.payload.by_hand = input.state;
            exchange.payload.by_hand.is_some()
        }
    };
    if sealed {
        let state = seal(ctx, &mut exchange)?;
        out.extend_from_slice(br#""requestState":"#);
        write_json(out, state.as_str());
        out.push(b',');
    }
    out.extend_from_slice(br#""_meta":{"#);
    out.extend_from_slice(server.inner().writer.server_info.as_bytes());
    Ok(())
}

fn write_requests<'q>(
    out: &mut Vec<u8>,
    requests: impl Iterator<Item = (&'q str, &'q crate::asking::Question, Option<&'q str>)>,
) {
    let before = out.len();
    out.extend_from_slice(br#""inputRequests":{"#);
    let empty = out.len();
    for (key, question, reason) in requests {
        if out.len() > empty {
            out.push(b',');
        }
        write_json(out, key);
        out.push(b':');
        question.write(out, reason);
    }
    if out.len() == empty {
        return out.truncate(before);
    }
    out.extend_from_slice(b"},");
}

/// What a tool that asks by hand must keep to.
fn check_by_hand(ctx: &Context, input: &InputRequired) -> Result<(), RpcError> {
    for kind in input.kinds() {
        ctx.kinds().require(kind)?;
    }
    let fault = if input.requests.is_empty() && input.state.is_none() {
        Some("it has neither a question nor a state".to_owned())
    } else {
        let mut keys: Vec<&str> = input.requests.iter().map(|(key, _)| key.as_str()).collect();
        keys.sort_unstable();
        let twice = keys.windows(2).any(|pair| pair[0] == pair[1]);
        let faults = input
            .requests
            .iter()
            .find_map(|(_, question)| question.fault());
        faults.or_else(|| twice.then(|| "two questions have the same key".to_owned()))
    };
    match fault {
        None => Ok(()),
        Some(fault) => {
            tracing::error!(
                tool = ctx.tool_name(),
                "the input request cannot be sent: {fault}"
            );
            Err(RpcError::internal_error(
                "a question of this tool cannot be asked",
            ))
        }
    }
}

fn seal(ctx: &Context, exchange: &mut Exchange) -> Result<String, RpcError> {
    let states = ctx.server().states();
    let sealed = (|| {
        let mut body = match exchange.verified.take() {
            Some(body) => *body,
            None => states.begin(&binding(ctx)?).map_err(|e| failed(ctx, &e))?,
        };
        body.payload = std::mem::take(&mut exchange.payload);
        states.seal(&mut body).map_err(|e| failed(ctx, &e))
    })();
    sealed
}

fn failed(ctx: &Context, error: &crate::state::SealError) -> RpcError {
    let reference = reference();
    tracing::error!(tool = ctx.tool_name(), %reference, %error, "the state could not be sealed");
    RpcError::internal_error(format!(
        "the call cannot be continued; the server's log has the reason under {reference}"
    ))
}

/// Turns a panic into a value.
struct Unwinding<F>(F);

/// A call has panicked; its text went to the panic hook, and never to the client.
struct Panicked;

impl<F: Future + Unpin> Future for Unwinding<F> {
    type Output = Result<F::Output, Panicked>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut task::Context<'_>) -> Poll<Self::Output> {
        // The future is not polled again after a panic; what it shared with others is behind locks
        // that tell of their poisoning.
        match catch_unwind(AssertUnwindSafe(|| Pin::new(&mut self.0).poll(cx))) {
            Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
            Ok(Poll::Pending) => Poll::Pending,
            Err(_) => Poll::Ready(Err(Panicked)),
        }
    }
}
