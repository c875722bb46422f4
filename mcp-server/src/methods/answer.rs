//! The answer to a call: its result, its error, or the questions that come first.
//!
//! Specification: server/tools, Error Handling; basic/patterns/mrtr, InputRequiredResult.

use mcp_core::rpc::{RawId, RpcError, begin_result, write_error, write_str};

use super::tools::binding;
use crate::{
    asking::Exchange,
    context::Context,
    error::{Chain, Kind, ToolError, reference},
    outcome::{CallResult, InputRequired, Interrupt, Outcome, Reason, Request},
    state::SealError,
    tool::{ToolResult, write_result},
};

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
        Ok(Outcome::InputRequired(input)) => return write_input_required(ctx, input, out),
        // A tool's own walk turns this into questions; a layer made it up.
        Err(Interrupt(Reason::Waiting)) => {
            return Err(RpcError::internal_error(
                "a layer lost the call's questions",
            ));
        }
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
    input: InputRequired,
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
    check_questions(ctx, &input)?;
    out.extend_from_slice(br#"{"resultType":"input_required","#);
    write_requests(out, &input.requests);
    if !input.of_parameters {
        exchange.ask_by_hand(&input.requests);
        exchange.payload.by_hand = input.state;
    }
    if input.of_parameters || exchange.payload.remembers() {
        let state = seal(ctx, &mut exchange)?;
        out.extend_from_slice(br#""requestState":"#);
        write_str(out, &state);
        out.push(b',');
    }
    out.extend_from_slice(br#""_meta":{"#);
    out.extend_from_slice(server.inner().writer.server_info.as_bytes());
    Ok(())
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
    for request in &input.requests {
        request.question.require(ctx.kinds())?;
    }
    let fault = if input.requests.is_empty() && input.state.is_none() {
        Some("it has neither a question nor a state".to_owned())
    } else {
        let mut keys: Vec<&str> = input.kinds().map(|(key, _)| key).collect();
        keys.sort_unstable();
        let twice = keys.windows(2).any(|pair| pair[0] == pair[1]);
        let faults = input
            .requests
            .iter()
            .find_map(|request| request.question.fault());
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
    let mut body = match exchange.verified.take() {
        Some(body) => *body,
        None => states
            .begin(&binding(ctx)?)
            .map_err(|error| failed(ctx, &error))?,
    };
    body.payload = std::mem::take(&mut exchange.payload);
    states.seal(&mut body).map_err(|error| failed(ctx, &error))
}

fn failed(ctx: &Context, error: &SealError) -> RpcError {
    let reference = reference();
    tracing::error!(tool = ctx.tool_name(), %reference, %error, "the state could not be sealed");
    RpcError::internal_error(format!(
        "the call cannot be continued; the server's log has the reason under {reference}"
    ))
}
