//! A MIME type has two parts.

use mcp_server::prelude::*;

#[resource("note://all", mime_type = "markdown")]
async fn find() -> String {
    String::new()
}

fn main() {}
