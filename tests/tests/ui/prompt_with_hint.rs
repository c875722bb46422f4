//! A prompt has no hints.

use mcp_server::prelude::*;

#[prompt(read_only)]
async fn find() -> String {
    String::new()
}

fn main() {}
