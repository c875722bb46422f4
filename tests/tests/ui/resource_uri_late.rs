//! The URI comes first.

use mcp_server::prelude::*;

#[resource(title = "Notes", "note://all")]
async fn find() -> String {
    String::new()
}

fn main() {}
