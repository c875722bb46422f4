//! `prompts/get`.
//!
//! Specification: server/prompts, Getting a Prompt.

use mcp_core::rpc::RpcError;

use super::{
    CallFuture, Params, Terms,
    call::{Target, call},
    shown,
};
use crate::{context::Context, peer::Peer, server::Server};

/// Finds the prompt and begins to fill it in.
///
/// # Errors
///
/// `-32602` where the parameters are off or the prompt is not known.
pub(crate) fn get_prompt(
    server: &Server,
    line: &str,
    params: &Params<'_>,
    terms: Terms,
    peer: &Peer,
) -> Result<(Context, CallFuture), RpcError> {
    let Some(name) = &params.name else {
        return Err(RpcError::invalid_params("`name` is missing"));
    };
    let Some(prompt) = server.inner().prompt(name, &peer.principal) else {
        let name = shown(name);
        return Err(RpcError::invalid_params(format!("unknown prompt `{name}`")));
    };
    call(server, line, params, terms, peer, Target::named(prompt))
}
