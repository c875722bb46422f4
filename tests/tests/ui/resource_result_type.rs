//! Not everything is the contents of a resource.

use mcp_server::prelude::*;

#[resource("note://all")]
async fn find() -> u64 {
    0
}

fn main() {}
