//! A value is offered once.

use mcp_server::prelude::*;

#[prompt]
async fn find(#[complete("a", "b", "a")] kind: String) -> String {
    kind
}

fn main() {}
