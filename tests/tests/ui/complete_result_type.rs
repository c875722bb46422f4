//! A completion function gives texts.

use mcp_server::prelude::*;

async fn kinds(_: mcp_server::Completing) -> u64 {
    0
}

#[prompt]
async fn find(#[complete(kinds)] kind: String) -> String {
    kind
}

fn main() {}
