//! A call of a function, of whatever kind: open the state, check the arguments, run. Closing the state
//! is in `answer`.
//!
//! Specification: basic/patterns/mrtr.

use mcp_core::rpc::{RawId, RpcError};

use super::{Asked, CallFuture, Received, Step, Work, invoke::unfit};
use crate::{
    asking::Exchange,
    context::Context,
    reporter::Reporter,
    server::Server,
    state::{Binding, Digest, StateError, digest_arguments},
};

/// What is called.
pub(super) struct Target {
    pub(super) function: usize,
    /// What the request addresses, where that is not the function's name.
    pub(super) address: Option<Box<str>>,
    /// The arguments, where the request does not have them as such.
    pub(super) arguments: Option<String>,
}

impl Target {
    /// A function that is called by its name.
    pub(super) fn named(function: usize) -> Self {
        Self {
            function,
            address: None,
            arguments: None,
        }
    }
}

/// Begins a call.
///
/// # Errors
///
/// `-32602` where the parameters are off.
pub(super) fn call(server: &Server, request: &Asked<'_>, target: Target) -> Result<Step, RpcError> {
    let params = request.params;
    if params.arguments.is_some_and(|raw| !raw.starts_with('{')) {
        return Err(RpcError::invalid_params("`arguments` must be an object"));
    }
    let mut received = Received::new(request.line, params, request.terms)?;
    received.address = target.address;
    let ctx = Context::new(
        server.clone(),
        Some(target.function),
        received,
        request.peer,
        reporter(request),
    );
    if let Some(arguments) = target.arguments {
        ctx.coerce(arguments);
    }
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
    Ok(Step::Wait(ctx, Work::Call(call)))
}

/// Sends what the client wants to hear of while it waits, if that is anything.
pub(super) fn reporter(request: &Asked<'_>) -> Option<Reporter> {
    let meta = request.params.meta.as_ref();
    Reporter::wanted(
        meta.and_then(|meta| meta.progress_token)
            .and_then(RawId::new)
            .map(|token| token.to_id().into()),
        meta.and_then(|meta| meta.log_level),
        &request.peer.outgoing,
    )
}

/// The state is verified first, then the arguments, then the function runs.
fn begin(ctx: &Context, state: Option<&str>) -> CallFuture {
    if let Some(state) = state
        && let Err(error) = open(ctx, state)
    {
        return Err(error.into()).into();
    }
    match ctx.function().check_arguments(ctx.arguments()) {
        Ok(()) => CallFuture::function(ctx.clone()),
        Err(text) => unfit(ctx, text).into(),
    }
}

/// What binds a state to a request.
pub(crate) fn binding(ctx: &Context) -> Result<Binding<'_>, RpcError> {
    Ok(binding_of(ctx, arguments(ctx)?))
}

/// The digest of a request's arguments.
pub(super) fn arguments(ctx: &Context) -> Result<Digest, RpcError> {
    digest_arguments(ctx.received().given_arguments())
        .map_err(|error| RpcError::invalid_params(error.to_string()))
}

/// What binds a state to a request whose arguments have this digest.
pub(crate) fn binding_of(ctx: &Context, arguments: Digest) -> Binding<'_> {
    Binding {
        method: ctx.method(),
        target: ctx.target(),
        arguments,
        audience: &ctx.server().inner().audience,
        principal: ctx.principal(),
    }
}

/// Verifies the state that came with the request.
#[inline(never)]
fn open(ctx: &Context, sealed: &str) -> Result<(), RpcError> {
    let server = ctx.server();
    match server.states().open(sealed, &binding(ctx)?) {
        Ok(body) => ctx.resume(Exchange::resume(body)),
        Err(StateError::Expired) if server.options().ask_again_when_expired => {}
        Err(_) => return Err(RpcError::invalid_params(StateError::MESSAGE)),
    }
    Ok(())
}
