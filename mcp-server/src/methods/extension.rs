//! The methods that extensions bring.
//!
//! Specification: basic/versioning, Extension Negotiation.

use std::sync::Arc;

use mcp_core::rpc::{RpcError, write_json};
use serde_json::{Map, Value};

use super::{Asked, Received, Step, Work, call::reporter};
use crate::{context::Context, once::Finished, server::Server};

/// Begins to answer a request of an extension's.
///
/// # Errors
///
/// `-32602` where the parameters cannot be read, `-32021` where the client has not declared the extension.
pub(crate) fn call_extension(
    server: &Server,
    request: &Asked<'_>,
    _: &mut Vec<u8>,
) -> Result<Step, RpcError> {
    let mut extensions = server.inner().extensions.iter();
    let has = |methods: &[&str]| methods.contains(&request.method);
    let Some(extension) = extensions.find(|extension| has(extension.methods())) else {
        return Err(RpcError::method_not_found(request.method));
    };
    let mut received = Received::new(request.line, request.params, request.terms)?;
    received.address = Some(request.method.into());
    let params = received.params()?;
    let ctx = Context::new(
        server.clone(),
        None,
        received,
        request.peer,
        reporter(request),
    );
    ctx.declares_extension(extension.name())?;
    let answering = Arc::clone(extension).request(params, ctx.clone());
    let around = ctx.clone();
    let answered = async move {
        let answered = answering.await;
        around.close();
        around
            .finish_claims(match answered {
                Ok(_) => Finished::Done,
                Err(_) => Finished::Failed,
            })
            .await;
        write(&around, answered?)
    };
    Ok(Step::Wait(ctx, Work::Request(Box::pin(answered))))
}

/// Makes a whole result of what an extension says.
fn write(ctx: &Context, result: Value) -> Result<Vec<u8>, RpcError> {
    let Value::Object(mut result) = result else {
        tracing::error!(method = ctx.method(), "an extension's result is no object");
        return Err(RpcError::internal_error("the result is no object"));
    };
    let meta = match result.remove("_meta") {
        Some(Value::Object(meta)) => meta,
        _ => Map::new(),
    };
    result
        .entry("resultType")
        .or_insert_with(|| "complete".into());
    let mut out = Vec::with_capacity(256);
    write_json(&mut out, &result);
    // Its closing brace: `_meta` is the last member.
    out.pop();
    let writer = &ctx.server().inner().writer;
    writer.write_meta(&mut out, Some(&meta));
    if out.len() > writer.limit {
        return Err(writer.too_large());
    }
    Ok(out)
}
