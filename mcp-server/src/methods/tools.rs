//! `tools/list` and `tools/call`.
//!
//! A call's way: find the tool, open the state, call, close the state. The last two are in
//! `invoke` and `answer`.
//!
//! Specification: server/tools, basic/patterns/mrtr.

use mcp_core::rpc::{RawId, RpcError, write_json};

use super::{CallFuture, Params, Received, Terms, string};
use crate::{
    asking::{Exchange, InputResponses},
    builder::millis,
    context::Context,
    outcome::Outcome,
    peer::Peer,
    reporter::Reporter,
    server::Server,
    state::{Binding, StateError, digest_arguments},
    tool::ToolResult,
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

/// Finds the tool and begins the call.
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
) -> Result<(Context, CallFuture), RpcError> {
    let Some(name) = &params.name else {
        return Err(RpcError::invalid_params("`name` is missing"));
    };
    let Some(&tool) = server.inner().by_name.get(&**name) else {
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
    let meta = params.meta.as_ref();
    let reporter = Reporter::wanted(
        meta.and_then(|meta| meta.progress_token)
            .and_then(RawId::new)
            .map(|token| token.to_id().into()),
        meta.and_then(|meta| meta.log_level),
        &peer.outgoing,
    );
    let ctx = Context::new(
        server.clone(),
        tool,
        Received::new(line, params, terms),
        peer.principal.clone(),
        reporter,
    );
    let state = params.request_state.as_deref();
    let call = if server.states().reloads() {
        let (ctx, state) = (ctx.clone(), state.map(str::to_owned));
        CallFuture::Boxed(Box::pin(async move {
            ctx.server().states().refresh().await;
            begin(&ctx, state.as_deref()).await
        }))
    } else {
        begin(&ctx, state)
    };
    Ok((ctx, call))
}

/// The state is verified first, then the arguments, then the tool runs.
fn begin(ctx: &Context, state: Option<&str>) -> CallFuture {
    if let Some(state) = state
        && let Err(error) = open(ctx, state)
    {
        return CallFuture::Ended(Some(Err(error.into())));
    }
    match ctx.tool().check_arguments(ctx.arguments()) {
        Ok(()) => CallFuture::tool(ctx.clone()),
        Err(text) => CallFuture::Ended(Some(Ok(Outcome::Complete(ToolResult::error(text))))),
    }
}

/// What binds a state to a request.
pub(super) fn binding<'a>(ctx: &'a Context) -> Result<Binding<'a>, RpcError> {
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
        Ok(body) => ctx.resume(Exchange::resume(body)),
        Err(StateError::Expired) if server.options().ask_again_when_expired => {}
        Err(_) => return Err(RpcError::invalid_params(StateError::MESSAGE)),
    }
    Ok(())
}
