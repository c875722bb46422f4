//! The answer to a call: its result, its error, or the questions that come first.
//!
//! Specification: server/tools, Error Handling; basic/patterns/mrtr, InputRequiredResult.

use mcp_core::{
    protocol::{JsonObject, Meta},
    rpc::{RawId, RpcError, begin_result, write_error, write_json, write_str},
};

use super::{
    call::{arguments, binding_of},
    unknown,
};
use crate::{
    asking::Exchange,
    context::Context,
    error::{Chain, Kind, ToolError, reference},
    function::Reply,
    outcome::{CallResult, InputRequired, Interrupt, Outcome, Reason, Request},
    running::Answered,
    spec::KindSpec,
    state::{ExchangeId, SealError, Stamp, StateBody, in_order},
    tool::{ToolResult, write_result},
};

/// Appends the whole answer to a call, and says what it is.
pub(crate) fn write(
    ctx: &Context,
    id: RawId<'_>,
    result: CallResult,
    out: &mut Vec<u8>,
) -> Answered {
    ctx.close();
    let before = out.len();
    begin_result(out, id);
    match write_outcome(ctx, result, out) {
        Ok(()) => {
            out.push(b'}');
            Answered::Result
        }
        Err(error) => {
            out.truncate(before);
            write_error(out, Some(id), &error);
            Answered::Error(error.code)
        }
    }
}

/// Appends what stands as `result` in the answer to a call.
///
/// # Errors
///
/// What is answered instead; something may have been appended all the same.
pub(crate) fn write_outcome(
    ctx: &Context,
    result: CallResult,
    out: &mut Vec<u8>,
) -> Result<(), RpcError> {
    let reply = match result {
        Ok(Outcome::Complete(Reply::Tool(result))) => {
            let wrapped = ctx.function().wraps_result();
            match checked(ctx, &result) {
                Ok(()) => write_tool_result(ctx, &result, wrapped, out),
                Err(error) => write_tool_result(ctx, &error, false, out),
            }
            return Ok(());
        }
        Ok(Outcome::Complete(reply)) => reply,
        Ok(Outcome::InputRequired(input)) => return write_input_required(ctx, input, out),
        // The walk through the questions turns this into questions; a layer made it up.
        Err(Interrupt(Reason::Waiting)) => {
            return Err(RpcError::internal_error(
                "a layer lost the call's questions",
            ));
        }
        Err(Interrupt(Reason::NotFound)) => return Err(not_found(ctx)),
        Err(Interrupt(Reason::Arguments(fault))) => {
            let text = format!("the arguments do not fit: {}", fault.0);
            if !is_tool(ctx) {
                return Err(RpcError::invalid_params(text));
            }
            ToolResult::error(text).into()
        }
        Err(Interrupt(Reason::Tool(error))) => disclose(ctx, error)?.into(),
    };
    (ctx.function().kind.write)(ctx, reply, out)
}

/// The function has nothing under this name or URI.
fn not_found(ctx: &Context) -> RpcError {
    match ctx.spec().kind {
        KindSpec::Resource(_) => RpcError::resource_not_found(ctx.target()),
        _ => unknown(ctx.spec().kind_name(), ctx.target()),
    }
}

/// A layer has made a result of another kind up.
pub(super) fn misplaced(ctx: &Context) -> RpcError {
    let kind = ctx.spec().kind_name();
    tracing::error!(
        function = ctx.name(),
        "a layer gave a {kind} the result of another kind"
    );
    RpcError::internal_error(format!("the {kind} has the result of another kind"))
}

fn is_tool(ctx: &Context) -> bool {
    matches!(ctx.spec().kind, KindSpec::Tool(_))
}

pub(super) fn write_tool_result(
    ctx: &Context,
    result: &ToolResult,
    wrapped: bool,
    out: &mut Vec<u8>,
) {
    write_result(out, result, wrapped, &ctx.server().inner().writer);
}

/// The end of a prompt's or resource's result, and its limit.
pub(super) fn write_end(
    ctx: &Context,
    extra: &JsonObject,
    meta: Option<&Meta>,
    before: usize,
    out: &mut Vec<u8>,
) -> Result<(), RpcError> {
    let writer = &ctx.server().inner().writer;
    for (name, value) in extra {
        out.push(b',');
        write_str(out, name);
        out.push(b':');
        write_json(out, value);
    }
    writer.write_meta(out, meta);
    if out.len() - before > writer.limit {
        return Err(writer.too_large());
    }
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
    ctx.function().check_output(json).map_err(|why| {
        let reference = reference();
        tracing::error!(tool = ctx.name(), %reference, "the result does not fit its schema: {why}");
        ToolResult::error(format!(
            "the tool's result does not fit its own schema; the server's log has the reason under {reference}"
        ))
    })
}

/// What the model sees of an error.
///
/// # Errors
///
/// The error itself, where it is one of the protocol, or where the function is no tool: its result has
/// no place for an error.
fn disclose(ctx: &Context, error: ToolError) -> Result<ToolResult, RpcError> {
    let text = match error.into_kind() {
        Kind::Shown(text) => text,
        Kind::Protocol(error) => return Err(error),
        Kind::Foreign { source, shown } => {
            let (function, chain) = (ctx.name(), Chain(&*source));
            let kind = ctx.spec().kind_name();
            if shown || ctx.server().options().show_errors {
                tracing::warn!(function, error = %chain, "a {kind} failed");
                chain.to_string()
            } else {
                let reference = reference();
                tracing::error!(function, %reference, error = %chain, "a {kind} failed");
                format!("the {kind} failed; the server's log has the reason under {reference}")
            }
        }
    };
    if is_tool(ctx) {
        Ok(ToolResult::error(text))
    } else {
        Err(RpcError::internal_error(text))
    }
}

/// An error of a function that has no result of its own to put it in.
pub(super) fn error_of(ctx: &Context, error: ToolError) -> RpcError {
    match disclose(ctx, error) {
        Ok(result) => RpcError::internal_error(result.as_text().unwrap_or_default().to_owned()),
        Err(error) => error,
    }
}

/// Appends the questions of this round and the sealed state.
///
/// Specification: basic/patterns/mrtr, InputRequiredResult.
fn write_input_required(
    ctx: &Context,
    input: InputRequired,
    out: &mut Vec<u8>,
) -> Result<(), RpcError> {
    let mut exchange = ctx.exchange();
    if let Err(error) = may_ask(ctx, exchange.round(), &input) {
        let error = disclose(ctx, error)?;
        write_tool_result(ctx, &error, false, out);
        return Ok(());
    }
    out.extend_from_slice(br#"{"resultType":"input_required","#);
    write_requests(out, &input.requests);
    let of_parameters = input.of_parameters;
    exchange.note(input);
    if of_parameters || exchange.payload.remembers() {
        let state = seal(ctx, &exchange)?;
        out.extend_from_slice(br#""requestState":"#);
        write_str(out, &state);
        out.push(b',');
    }
    out.extend_from_slice(br#""_meta":{"#);
    out.extend_from_slice(ctx.server().inner().writer.server_info.as_bytes());
    Ok(())
}

/// Whether a call may ask this in this round.
///
/// # Errors
///
/// How the call ends where it may not.
pub(crate) fn may_ask(ctx: &Context, round: u32, input: &InputRequired) -> Result<(), ToolError> {
    let most = ctx.server().options().max_rounds;
    if round > most {
        return Err(ToolError::new(format!(
            "this call was answered with questions {most} times, which is the server's limit; \
             call again to begin anew"
        )));
    }
    check_questions(ctx, input).map_err(ToolError::protocol)
}

fn write_requests(out: &mut Vec<u8>, requests: &[Request]) {
    if requests.is_empty() {
        return;
    }
    out.extend_from_slice(br#""inputRequests":{"#);
    for (index, request) in requests.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_str(out, &request.key);
        out.push(b':');
        request.question.write(out, request.reason.as_deref());
    }
    out.extend_from_slice(b"},");
}

/// What every question must keep to; those of parameters were checked when they were asked.
fn check_questions(ctx: &Context, input: &InputRequired) -> Result<(), RpcError> {
    if input.of_parameters {
        return Ok(());
    }
    let requests = &input.requests;
    for request in requests {
        ctx.may_be_shown(&request.question)?;
    }
    let function = ctx.function();
    let fault = if requests.is_empty() && input.state.is_none() {
        Some("it has neither a question nor a state".to_owned())
    } else if !function.spec.markers.is_empty() && !function.layers_may_ask {
        // A return type of somebody else's, of which `build()` could not know that it asks. The last answer to a parameter is
        // not in the state, so that question would come again, and then this one, and so on.
        Some("a function asks by parameters or by hand, not both".to_owned())
    } else if in_order(&input.keys()).is_none() {
        Some("two questions have the same key".to_owned())
    } else {
        requests.iter().find_map(|request| request.question.fault())
    };
    match fault {
        None => Ok(()),
        Some(fault) => {
            tracing::error!(
                function = ctx.name(),
                "the input request cannot be sent: {fault}"
            );
            Err(RpcError::internal_error(
                "a question of this call cannot be asked",
            ))
        }
    }
}

fn seal(ctx: &Context, exchange: &Exchange) -> Result<String, RpcError> {
    let stamp = stamp(ctx, exchange)?;
    let binding = binding_of(ctx, stamp.arguments);
    let states = ctx.server().states();
    let sealed = states.seal(stamp, &exchange.payload, &binding);
    sealed.map_err(|error| failed(ctx, &error))
}

/// The stamp of this round, or one to begin with.
fn stamp(ctx: &Context, exchange: &Exchange) -> Result<Stamp, RpcError> {
    match exchange.verified {
        Some(stamp) => Ok(stamp),
        None => {
            let arguments = arguments(ctx)?;
            let exchange = if ctx.server().guard().is_shared() {
                ExchangeId::random()
            } else {
                ExchangeId::next()
            };
            let begun = exchange.map(|exchange| Stamp::new(arguments, exchange));
            begun.map_err(|error| failed(ctx, &error))
        }
    }
}

/// Takes what a call has learned out of its exchange, for the next round.
pub(crate) fn body(ctx: &Context, exchange: &mut Exchange) -> Result<StateBody, RpcError> {
    let stamp = stamp(ctx, exchange)?;
    exchange.verified = None;
    let payload = std::mem::take(&mut exchange.payload);
    Ok(StateBody { stamp, payload })
}

fn failed(ctx: &Context, error: &SealError) -> RpcError {
    let reference = reference();
    tracing::error!(function = ctx.name(), %reference, %error, "the state could not be sealed");
    RpcError::internal_error(format!(
        "the call cannot be continued; the server's log has the reason under {reference}"
    ))
}
