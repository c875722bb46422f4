//! What cannot work with an earlier client, in words: its revision has no error for it.

use mcp_core::{
    Revision,
    rpc::{RpcError, code},
};
use serde_json::Value;

use super::{questions::written, view};
use crate::{
    asking::Question,
    context::Context,
    error::ToolError,
    outcome::{CallResult, Interrupt, Reason},
    spec::KindSpec,
};

/// Whether a question can be said in the client's revision.
///
/// # Errors
///
/// As where the client cannot be asked at all.
pub(crate) fn can_say(revision: Revision, question: &Question) -> Result<(), RpcError> {
    if !revision.is_legacy() {
        return Ok(());
    }
    written(revision, question, None, "id")
        .map(drop)
        .map_err(|what| {
            RpcError::new(
                code::MISSING_REQUIRED_CLIENT_CAPABILITY,
                beyond(revision, &what),
            )
        })
}

fn beyond(revision: Revision, what: &str) -> String {
    format!(
        "this needs {what}, which the client's protocol version {revision} cannot express; use a client of a newer one"
    )
}

/// What a call comes to, where it would be an error of today's.
///
/// Specification of the earlier revisions: server/tools, Error Handling.
pub(super) fn outcome(ctx: &Context, result: CallResult) -> CallResult {
    let missing = match &result {
        Err(Interrupt(Reason::Tool(error))) => error.as_protocol().filter(|e| is_missing(e)),
        _ => None,
    };
    let Some(missing) = missing else {
        return result;
    };
    let error = explained(ctx.revision(), missing.clone());
    Err(match ctx.spec().kind {
        KindSpec::Tool(_) => ToolError::new(error.message),
        KindSpec::Prompt | KindSpec::Resource(_) => ToolError::protocol(error),
    }
    .into())
}

/// The error, or one of all times that says the same.
pub(super) fn explained(revision: Revision, error: RpcError) -> RpcError {
    if !is_missing(&error) {
        return error;
    }
    let data = error.data.as_ref();
    let text = match data.and_then(|data| data.get("requiredCapabilities")) {
        Some(required) => missing(revision, &path(required)).into(),
        None => error.message,
    };
    RpcError::invalid_params(text)
}

/// Why there is not what a capability of today stands for: its revision does not have it, or the client has not declared it.
fn missing(revision: Revision, capability: &str) -> String {
    let least = match capability {
        "elicitation.form" => Some(("elicitation/create", r#"{"mode":"form"}"#)),
        "elicitation.url" => Some(("elicitation/create", r#"{"mode":"url"}"#)),
        "sampling.tools" => Some(("sampling/createMessage", r#"{"tools":[{}]}"#)),
        _ => None,
    };
    let seen = least.map(|(method, params)| view::request(revision, method, params));
    if let Some(Err(what)) = seen {
        return beyond(revision, &what);
    }
    let name = match capability {
        // Before there were modes, forms had no name of their own.
        "elicitation.form" if revision < Revision::V2025_11_25 => "elicitation",
        name => name,
    };
    format!(
        "the client did not declare the capability `{name}` when it connected, and this cannot do without; use a client \
         that has it"
    )
}

fn is_missing(error: &RpcError) -> bool {
    error.code == code::MISSING_REQUIRED_CLIENT_CAPABILITY
}

/// The names of the first members, each inside of the one before.
fn path(mut capabilities: &Value) -> String {
    let mut path = String::new();
    while let Some((name, inner)) = capabilities.as_object().and_then(|c| c.iter().next()) {
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(name);
        capabilities = inner;
    }
    path
}
