//! A URI without variables has no arguments.

use mcp_server::prelude::*;

#[resource("note://all")]
async fn find(limit: u32) -> String {
    limit.to_string()
}

fn main() {}
