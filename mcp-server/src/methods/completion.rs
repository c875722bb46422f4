//! `completion/complete`.
//!
//! Specification: server/utilities/completion.

use mcp_core::{
    protocol::{Completion, CompletionArgument, CompletionContext, CompletionReference},
    rpc::{RpcError, write_json},
};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Asked, Received, Step, Work, answer::error_of, shown};
use crate::{
    completion::{Completing, of_list},
    context::Context,
    server::Server,
    spec::{ArgumentsSpec, CompleteSpec},
};

/// The method's name; it is served where there is something to complete.
pub(crate) const COMPLETE: &str = "completion/complete";

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
    let params = request.params;
    let reference: CompletionReference = member(params.reference, "ref")?;
    let CompletionArgument { name, value } = member(params.argument, "argument")?;
    let context: CompletionContext = match params.context {
        None => CompletionContext::default(),
        context => member(context, "context")?,
    };
    let inner = server.inner();
    let function = match &reference {
        CompletionReference::Prompt(prompt) => inner
            .prompt(&prompt.name, &request.peer.principal)
            .ok_or_else(|| {
                RpcError::invalid_params(format!("unknown prompt `{}`", shown(&prompt.name)))
            }),
        CompletionReference::ResourceTemplate(template) => inner
            .template(&template.uri, &request.peer.principal)
            .ok_or_else(|| RpcError::resource_not_found(&template.uri)),
        _ => Err(RpcError::invalid_params("unknown type of `ref`")),
    }?;
    let spec = inner.functions[function].spec;
    let received = Received::new(request.line, params, request.terms)?;
    let ctx = Context::new(server.clone(), Some(function), received, request.peer, None);
    let proposals = match &spec.arguments {
        ArgumentsSpec::Struct { .. } => None,
        ArgumentsSpec::List(list) => {
            let Some(argument) = list.iter().find(|argument| argument.name == name) else {
                let name = shown(&name);
                return Err(RpcError::invalid_params(format!(
                    "unknown argument `{name}`"
                )));
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
                arguments: context.arguments.unwrap_or_default(),
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

fn write(server: &Server, completion: &Completion) -> Vec<u8> {
    let mut out = br#"{"resultType":"complete","completion":"#.to_vec();
    write_json(&mut out, completion);
    out.extend_from_slice(br#","_meta":{"#);
    out.extend_from_slice(server.inner().writer.server_info.as_bytes());
    out
}

/// A member that must be there and have its type.
fn member<'a, T: Deserialize<'a>>(raw: Option<&'a RawValue>, name: &str) -> Result<T, RpcError> {
    let Some(raw) = raw else {
        return Err(RpcError::invalid_params(format!("`{name}` is missing")));
    };
    serde_json::from_str(raw.get()).map_err(|error| {
        let text = error.to_string();
        let text = text.split(" at line ").next().unwrap_or_default();
        RpcError::invalid_params(format!("`{name}`: {text}"))
    })
}
