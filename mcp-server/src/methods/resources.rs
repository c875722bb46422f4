//! `resources/read`.
//!
//! Specification: server/resources, Reading Resources.

use mcp_core::rpc::{RpcError, write_json};

use super::{
    CallFuture, Params, Terms,
    call::{Target, call},
};
use crate::{context::Context, peer::Peer, server::Server};

/// Finds the resource and begins to read it.
///
/// # Errors
///
/// `-32602` where the parameters are off or there is no such resource.
pub(crate) fn read_resource(
    server: &Server,
    line: &str,
    params: &Params<'_>,
    terms: Terms,
    peer: &Peer,
) -> Result<(Context, CallFuture), RpcError> {
    let Some(uri) = &params.uri else {
        return Err(RpcError::invalid_params("`uri` is missing"));
    };
    let Some(found) = server.inner().resource(uri, &peer.principal) else {
        return Err(RpcError::resource_not_found(uri));
    };
    let target = Target {
        function: found.function,
        address: Some((&**uri).into()),
        arguments: Some(arguments(&found.values)),
    };
    call(server, line, params, terms, peer, target)
}

/// The variables of the URI as a function takes them.
fn arguments(values: &[(String, String)]) -> String {
    let mut json = vec![b'{'];
    for (index, (name, value)) in values.iter().enumerate() {
        if index > 0 {
            json.push(b',');
        }
        write_json(&mut json, name);
        json.push(b':');
        write_json(&mut json, value);
    }
    json.push(b'}');
    String::from_utf8(json).unwrap_or_default()
}
