//! Not everything is a message.

use mcp_server::prelude::*;

#[prompt]
async fn find() -> u64 {
    0
}

fn main() {}
