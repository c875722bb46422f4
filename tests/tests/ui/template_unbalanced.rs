//! Braces are closed.

use mcp_server::prelude::*;

#[resource("note://{id")]
async fn find(id: String) -> String {
    id
}

fn main() {}
