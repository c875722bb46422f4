//! What cannot work with an earlier client, in words: its revision has no error for it.

use mcp_core::{
    Revision,
    rpc::{RpcError, code},
};
use serde_json::Value;

use super::{object::Object, questions::written, view};
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
    let said = match &result {
        Err(Interrupt(Reason::Tool(error))) => {
            let error = error.as_protocol();
            error.and_then(|error| in_words(ctx.revision(), error))
        }
        _ => None,
    };
    let Some(said) = said else {
        return result;
    };
    Err(match ctx.spec().kind {
        KindSpec::Tool(_) => ToolError::new(said),
        KindSpec::Prompt | KindSpec::Resource(_) => {
            ToolError::protocol(RpcError::invalid_params(said))
        }
    }
    .into())
}

/// The error, or one of all times that says the same.
pub(super) fn explained(revision: Revision, error: RpcError) -> RpcError {
    match in_words(revision, &error) {
        Some(said) => RpcError::invalid_params(said),
        None => error,
    }
}

/// What an error of today alone says.
fn in_words(revision: Revision, error: &RpcError) -> Option<String> {
    if error.code != code::MISSING_REQUIRED_CLIENT_CAPABILITY {
        return None;
    }
    let data = error.data.as_ref();
    Some(
        match data.and_then(|data| data.get("requiredCapabilities")) {
            Some(required) => missing(revision, &path(required)),
            None => error.message.clone().into_owned(),
        },
    )
}

/// Why there is not what a capability of today stands for: its revision does not have it, or the client has not declared it.
fn missing(revision: Revision, capability: &str) -> String {
    let least = match capability {
        "elicitation.form" => Some(("elicitation/create", "mode", r#""form""#)),
        "elicitation.url" => Some(("elicitation/create", "mode", r#""url""#)),
        "sampling.tools" => Some(("sampling/createMessage", "tools", "[{}]")),
        _ => None,
    };
    if let Some((method, name, json)) = least {
        let mut params = Object::default();
        params.set(name, json);
        if let Err(what) = view::request(revision, method, &mut params) {
            return beyond(revision, &what);
        }
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
