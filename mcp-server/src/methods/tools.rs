//! `tools/call`.
//!
//! Specification: server/tools, Calling Tools.

use mcp_core::rpc::RpcError;

use super::{
    CallFuture, Params, Terms,
    call::{Target, call},
    shown,
};
use crate::{context::Context, peer::Peer, server::Server};

/// Finds the tool and begins the call.
///
/// # Errors
///
/// `-32602` where the parameters are off or the tool is not known.
pub(crate) fn call_tool(
    server: &Server,
    line: &str,
    params: &Params<'_>,
    terms: Terms,
    peer: &Peer,
) -> Result<(Context, CallFuture), RpcError> {
    let Some(name) = &params.name else {
        return Err(RpcError::invalid_params("`name` is missing"));
    };
    let Some(tool) = server.inner().tool(name, &peer.principal) else {
        let name = shown(name);
        return Err(RpcError::invalid_params(format!("unknown tool `{name}`")));
    };
    call(server, line, params, terms, peer, Target::named(tool))
}
