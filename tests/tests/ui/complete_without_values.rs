//! A completion says from what.

use mcp_server::prelude::*;

#[prompt]
async fn find(#[complete] kind: String) -> String {
    kind
}

fn main() {}
