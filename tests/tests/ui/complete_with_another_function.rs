//! A completion function takes what is typed.

use mcp_server::prelude::*;

async fn kinds(typed: &str, limit: usize) -> Vec<String> {
    vec![typed.repeat(limit)]
}

#[prompt]
async fn find(#[complete(kinds)] kind: String) -> String {
    kind
}

fn main() {}
