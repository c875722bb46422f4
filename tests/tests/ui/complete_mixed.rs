//! A completion is a function or texts.

use mcp_server::prelude::*;

#[prompt]
async fn find(#[complete("a", kinds)] kind: String) -> String {
    kind
}

fn main() {}
