//! The methods that a server answers, a file each, and what they share: how parameters are read, how a
//! function is called, how its answer is written.

mod answer;
mod call;
mod completion;
mod discover;
mod extension;
mod invoke;
mod list;
mod params;
mod prompts;
mod provided;
mod received;
mod resources;
mod tools;

use std::{future::Future, pin::Pin};

use mcp_core::rpc::RpcError;

pub(crate) use self::{
    answer::write,
    completion::{COMPLETE, complete},
    discover::discover,
    extension::call_extension,
    invoke::{CallFuture, Invocation},
    list::list,
    params::{Params, Terms, diagnose, string},
    prompts::{get_prompt, write_prompt},
    provided::{
        PROMPTS, RESOURCES, TEMPLATES, complete_provided, get_provided, list_provided,
        read_provided,
    },
    received::Received,
    resources::{read_resource, write_resource},
    tools::{call_tool, list_tools, write_tool},
};
pub(crate) use self::{
    answer::{body, may_ask, write_outcome},
    call::{binding, binding_of},
    params::{declared_kinds, is_client_info, is_log_level},
};
use crate::{context::Context, outcome::CallResult, peer::Peer, server::Server};

/// A request, as its method sees it.
pub(crate) struct Asked<'a> {
    /// The whole message.
    pub(crate) line: &'a str,
    pub(crate) method: &'a str,
    pub(crate) params: &'a Params<'a>,
    pub(crate) terms: Terms,
    pub(crate) peer: &'a Peer,
}

/// Answers a request: writes the whole result, or says what is to be waited for.
///
/// # Errors
///
/// What is answered instead; nothing must have been written then.
pub(crate) type Method = fn(&Server, &Asked<'_>, &mut Vec<u8>) -> Result<Step, RpcError>;

/// What became of a request.
pub(crate) enum Step {
    /// Its result is written.
    Written,
    /// There is something to wait for.
    Wait(Context, Work),
}

/// What a request waits for.
pub(crate) enum Work {
    /// A function.
    Call(CallFuture),
    /// Anything else: its whole result, or its error.
    Request(RequestFuture),
}

/// What came of it.
pub(crate) enum Done {
    Call(CallResult),
    Request(Result<Vec<u8>, RpcError>),
}

/// A request that calls no function.
pub(crate) type RequestFuture = Pin<Box<dyn Future<Output = Result<Vec<u8>, RpcError>> + Send>>;

/// The error for a name that nothing has.
fn unknown(kind: &str, name: &str) -> RpcError {
    RpcError::invalid_params(format!("unknown {kind} `{}`", shown(name)))
}

/// The beginning of a name that a client has sent, for an error.
fn shown(name: &str) -> String {
    name.chars().take(128).collect()
}
