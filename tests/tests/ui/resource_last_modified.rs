//! Times are written as in ISO 8601.

use mcp_server::prelude::*;

#[resource("note://all", last_modified = "yesterday")]
async fn find() -> String {
    String::new()
}

fn main() {}
