//! Braces are opened.

use mcp_server::prelude::*;

#[resource("note://id}")]
async fn find() -> String {
    String::new()
}

fn main() {}
