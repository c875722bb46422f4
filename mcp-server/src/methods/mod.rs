//! The methods that a server answers, a file each, and what they share: how parameters are read, how a
//! function is called, how its answer is written.

mod answer;
mod call;
mod completion;
mod discover;
mod invoke;
mod list;
mod params;
mod prompts;
mod resources;
mod tools;

use std::{future::Future, pin::Pin};

use mcp_core::rpc::RpcError;

pub(crate) use self::{
    answer::write,
    completion::complete,
    discover::discover,
    invoke::{CallFuture, Invocation},
    list::list,
    params::{Params, Received, Terms, diagnose, string},
    prompts::get_prompt,
    resources::read_resource,
    tools::call_tool,
};

/// A request that calls no function: its whole result, or its error.
pub(crate) type RequestFuture = Pin<Box<dyn Future<Output = Result<Vec<u8>, RpcError>> + Send>>;

/// The beginning of a name that a client has sent, for an error.
fn shown(name: &str) -> String {
    name.chars().take(128).collect()
}
