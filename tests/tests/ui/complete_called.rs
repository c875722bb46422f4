//! A completion is the name of a function.

use mcp_server::prelude::*;

fn kinds() {}

#[prompt]
async fn find(#[complete(kinds())] kind: String) -> String {
    kind
}

fn main() {}
