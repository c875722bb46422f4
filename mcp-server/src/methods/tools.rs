//! `tools/call` and `tools/list`.
//!
//! Specification: server/tools, Calling Tools.

use mcp_core::rpc::RpcError;

use super::{
    Asked, Step,
    answer::{misplaced, write_tool_result},
    call::{Target, call},
    list, unknown,
};
use crate::{context::Context, function::Reply, server::Server};

/// Finds the tool and begins the call.
///
/// # Errors
///
/// `-32602` where the parameters are off or the tool is not known.
pub(crate) fn call_tool(server: &Server, request: &Asked<'_>) -> Result<Step, RpcError> {
    let Some(name) = &request.params.name else {
        return Err(RpcError::invalid_params("`name` is missing"));
    };
    let Some(tool) = server.inner().tool(name, &request.peer.principal) else {
        return Err(unknown("tool", name));
    };
    call(server, request, Target::named(tool))
}

/// Appends the result of a tool.
///
/// # Errors
///
/// `-32603` where it is no tool's.
pub(crate) fn write_tool(ctx: &Context, reply: Reply, out: &mut Vec<u8>) -> Result<(), RpcError> {
    let Reply::Tool(result) = reply else {
        return Err(misplaced(ctx));
    };
    write_tool_result(ctx, &result, false, out);
    Ok(())
}

/// Appends a page of `tools/list`.
///
/// # Errors
///
/// `-32602` for a cursor that this server did not give.
pub(crate) fn list_tools(
    server: &Server,
    request: &Asked<'_>,
    out: &mut Vec<u8>,
) -> Result<Step, RpcError> {
    list(server, &server.inner().tools, "tools", request, out)
}
