//! A resource has one URI.

use mcp_server::prelude::*;

#[resource("note://all", "note://every")]
async fn find() -> String {
    String::new()
}

fn main() {}
