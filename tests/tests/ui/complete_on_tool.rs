//! Tools have no completion.

use mcp_server::prelude::*;

#[tool]
async fn find(#[complete("a", "b")] kind: String) -> String {
    kind
}

fn main() {}
