//! Fragments are never sent.

use mcp_server::prelude::*;

#[resource("note://all#first")]
async fn find() -> String {
    String::new()
}

fn main() {}
