//! `completion/complete`.
//!
//! Specification: server/utilities/completion.

use std::collections::BTreeMap;

use mcp_core::{
    protocol::{Completion, CompletionArgument, CompletionContext, CompletionReference},
    rpc::{RpcError, write_json},
};
use serde::Deserialize;

use super::{Asked, Params, Received, Step, Work, answer::error_of, params::unreadable, unknown};
use crate::{
    completion::{Completing, of_list},
    context::Context,
    server::Server,
    spec::{ArgumentsSpec, CompleteSpec},
};

/// The method's name; it is served where there is something to complete.
pub(crate) const COMPLETE: &str = "completion/complete";

/// What a user is typing, and where.
pub(super) struct Typed {
    pub(super) reference: CompletionReference,
    /// The argument.
    pub(super) name: String,
    pub(super) value: String,
    /// The other arguments, as far as they are filled in.
    pub(super) arguments: BTreeMap<String, String>,
}

impl Typed {
    pub(super) fn read(params: &Params<'_>) -> Result<Self, RpcError> {
        let CompletionArgument { name, value } = member(params.argument, "argument")?;
        let context: CompletionContext = match params.context {
            None => CompletionContext::default(),
            context => member(context, "context")?,
        };
        Ok(Self {
            reference: member(params.reference, "ref")?,
            name,
            value,
            arguments: context.arguments.unwrap_or_default(),
        })
    }

    /// The function whose argument it is.
    pub(super) fn function(&self, server: &Server, request: &Asked<'_>) -> Result<usize, RpcError> {
        let (inner, principal) = (server.inner(), &request.peer.principal);
        match &self.reference {
            CompletionReference::Prompt(prompt) => inner
                .prompt(&prompt.name, principal)
                .ok_or_else(|| unknown("prompt", &prompt.name)),
            CompletionReference::ResourceTemplate(template) => inner
                .template(&template.uri, principal)
                .ok_or_else(|| RpcError::resource_not_found(&template.uri)),
            _ => Err(RpcError::invalid_params("unknown type of `ref`")),
        }
    }
}

/// Begins to complete an argument.
///
/// # Errors
///
/// `-32602` where the parameters are off, or nothing is known of the prompt, the template or the argument.
pub(crate) fn complete(
    server: &Server,
    request: &Asked<'_>,
    out: &mut Vec<u8>,
) -> Result<Step, RpcError> {
    let typed = Typed::read(request.params)?;
    let function = typed.function(server, request)?;
    propose(server, request, typed, function, out)
}

/// Begins to complete an argument of a function.
pub(super) fn propose(
    server: &Server,
    request: &Asked<'_>,
    typed: Typed,
    function: usize,
    out: &mut Vec<u8>,
) -> Result<Step, RpcError> {
    let spec = &server.inner().functions[function].spec;
    let received = Received::new(request.line, request.params, request.terms)?;
    let ctx = Context::new(server.clone(), Some(function), received, request.peer, None);
    let Typed {
        name,
        value,
        arguments,
        ..
    } = typed;
    let proposals = match &spec.arguments {
        ArgumentsSpec::Struct { .. } => None,
        ArgumentsSpec::List(list) => {
            let Some(argument) = list.iter().find(|argument| argument.name == name) else {
                return Err(unknown("argument", &name));
            };
            argument.complete.as_ref()
        }
    };
    let proposed = match proposals {
        None => Completion::default(),
        Some(CompleteSpec::List(list)) => of_list(list, &value),
        Some(CompleteSpec::Function(function)) => {
            let completing = function(Completing {
                value,
                arguments,
                ctx: ctx.clone(),
            });
            let around = ctx.clone();
            let completed = async move {
                match completing.await {
                    Ok(completion) => Ok(write(around.server(), &completion)),
                    Err(error) => Err(error_of(&around, error)),
                }
            };
            return Ok(Step::Wait(ctx, Work::Request(Box::pin(completed))));
        }
    };
    out.append(&mut write(server, &proposed));
    Ok(Step::Written)
}

/// The result that proposals are.
pub(super) fn write(server: &Server, completion: &Completion) -> Vec<u8> {
    let mut out = br#"{"resultType":"complete","completion":"#.to_vec();
    write_json(&mut out, completion);
    out.extend_from_slice(br#","_meta":{"#);
    out.extend_from_slice(server.inner().writer.server_info.as_bytes());
    out
}

/// A member that must be there and have its type.
fn member<'a, T: Deserialize<'a>>(json: Option<&'a str>, name: &str) -> Result<T, RpcError> {
    let Some(json) = json else {
        return Err(RpcError::invalid_params(format!("`{name}` is missing")));
    };
    serde_json::from_str(json).map_err(|error| unreadable(name, &error))
}
