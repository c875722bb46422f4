//! The `everything` example: every feature that a server can offer, each as short as the macros allow.
//!
//! It is also the fixture for the official conformance suite, which dictates the names and the texts.
//! The [README](https://github.com/modelcontextprotocol/conformance) of the suite says what it expects;
//! the one beside this file says where each feature is shown.

mod asking;
mod changes;
mod choices;
mod content;
mod prompts;
mod provided;
mod resources;
mod schema;

use mcp_server::{BuildError, prelude::*};

/// The server.
///
/// # Errors
///
/// Never, as long as the tests pass.
pub fn server() -> Result<Server, BuildError> {
    Server::builder("everything", env!("CARGO_PKG_VERSION"))
        .title("Everything")
        .description("Shows every feature of the framework.")
        .instructions("Call any tool: none of them does any harm.")
        .tools(content::tools())
        .tools(changes::tools())
        .tools(asking::tools())
        .tools(choices::tools())
        .tools(schema::tools())
        .prompts(prompts::prompts())
        .resources(resources::resources())
        .resource_provider(provided::Records)
        .extension(provided::Counting)
        .build()
}
