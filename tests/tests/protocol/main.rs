//! What the protocol itself asks of a server, and what its builders are told: everything but asking.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]
#![allow(
    dead_code,
    dropping_copy_types,
    reason = "fields that only Debug reads, parameters that are only listed"
)]

mod arguments;
mod building;
mod caching;
mod cancelling;
mod errors;
mod extensions;
mod golden;
mod layers;
mod limits;
mod listing;
mod messages;
mod notices;
mod promises;
mod providers;
mod results;
mod schemas;
mod versions;

use mcp_server::{Server, ToolSet};
use mcp_tests::wire::Wire;

/// A connection to a server of these tools.
fn open(tools: ToolSet) -> Wire {
    let server = Server::builder("shop", "1.0.0").tools(tools).build();
    Wire::open(&server.unwrap())
}
