//! Priorities go from 0 to 1.

use mcp_server::prelude::*;

#[resource("note://all", priority = 5)]
async fn find() -> String {
    String::new()
}

fn main() {}
