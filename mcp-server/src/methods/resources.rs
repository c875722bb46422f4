//! `resources/read`.
//!
//! Specification: server/resources, Reading Resources.

use mcp_core::{
    protocol::ResourceContents,
    rpc::{RpcError, write_json},
};

use super::{
    Asked, Step,
    answer::{misplaced, write_end},
    call::{Target, call},
};
use crate::{context::Context, function::Reply, server::Server, spec::KindSpec};

/// Finds the resource and begins to read it.
///
/// # Errors
///
/// `-32602` where the parameters are off or there is no such resource.
pub(crate) fn read_resource(
    server: &Server,
    request: &Asked<'_>,
    _: &mut Vec<u8>,
) -> Result<Step, RpcError> {
    let Some(uri) = &request.params.uri else {
        return Err(RpcError::invalid_params("`uri` is missing"));
    };
    let Some(found) = server.inner().resource(uri, &request.peer.principal) else {
        return Err(RpcError::resource_not_found(uri));
    };
    let target = Target {
        function: found.function,
        address: Some((&**uri).into()),
        arguments: Some(arguments(&found.values)),
    };
    call(server, request, target)
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

/// Appends the contents of a resource.
///
/// # Errors
///
/// `-32603` where they are over the server's limit.
///
/// Specification: server/resources, Reading Resources.
pub(crate) fn write_resource(
    ctx: &Context,
    reply: Reply,
    out: &mut Vec<u8>,
) -> Result<(), RpcError> {
    let Reply::Resource(mut result) = reply else {
        return Err(misplaced(ctx));
    };
    let before = out.len();
    let mime_type = match &ctx.spec().kind {
        KindSpec::Resource(resource) => resource.mime_type,
        _ => None,
    };
    for contents in &mut result.contents {
        let (uri, declared) = match contents {
            ResourceContents::Text(text) => (&mut text.uri, &mut text.mime_type),
            ResourceContents::Blob(blob) => (&mut blob.uri, &mut blob.mime_type),
            _ => continue,
        };
        if uri.is_empty() {
            ctx.target().clone_into(uri);
        }
        if declared.is_none() {
            *declared = mime_type.map(str::to_owned);
        }
    }
    // By what led to it nobody would look it up: server/utilities/caching, Cache Key.
    if ctx.is_retry() {
        (result.ttl_ms, result.cache_scope) = (None, None);
    }
    out.extend_from_slice(br#"{"resultType":"complete","contents":"#);
    write_json(out, &result.contents);
    out.extend_from_slice(br#","ttlMs":"#);
    write_json(out, &result.ttl_ms.unwrap_or_default());
    out.extend_from_slice(br#","cacheScope":"#);
    write_json(out, &result.cache_scope.unwrap_or_default());
    write_end(ctx, &result.extra, result.meta.as_ref(), before, out)
}
