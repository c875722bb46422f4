//! The name of a header is a token.

use mcp_server::prelude::*;

#[tool]
async fn find(#[header("My Region")] region: String) -> String {
    region
}

fn main() {}
