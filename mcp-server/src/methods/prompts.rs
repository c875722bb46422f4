//! `prompts/get`.
//!
//! Specification: server/prompts, Getting a Prompt.

use mcp_core::rpc::{RpcError, write_json, write_str};

use super::{
    Asked, Step,
    answer::{misplaced, write_end},
    call::{Target, call},
    unknown,
};
use crate::{context::Context, function::Reply, server::Server};

/// Finds the prompt and begins to fill it in.
///
/// # Errors
///
/// `-32602` where the parameters are off or the prompt is not known.
pub(crate) fn get_prompt(
    server: &Server,
    request: &Asked<'_>,
    _: &mut Vec<u8>,
) -> Result<Step, RpcError> {
    let Some(name) = &request.params.name else {
        return Err(RpcError::invalid_params("`name` is missing"));
    };
    let Some(prompt) = server.inner().prompt(name, &request.peer.principal) else {
        return Err(unknown("prompt", name));
    };
    call(server, request, Target::named(prompt))
}

/// Appends the result of a prompt.
///
/// # Errors
///
/// `-32603` where it is over the server's limit.
///
/// Specification: server/prompts, Getting a Prompt.
pub(crate) fn write_prompt(ctx: &Context, reply: Reply, out: &mut Vec<u8>) -> Result<(), RpcError> {
    let Reply::Prompt(result) = reply else {
        return Err(misplaced(ctx));
    };
    let before = out.len();
    out.extend_from_slice(br#"{"resultType":"complete","#);
    if let Some(description) = result.description.as_deref().or(ctx.spec().description) {
        out.extend_from_slice(br#""description":"#);
        write_str(out, description);
        out.push(b',');
    }
    out.extend_from_slice(br#""messages":"#);
    write_json(out, &result.messages);
    write_end(ctx, &result.extra, result.meta.as_ref(), before, out)
}
