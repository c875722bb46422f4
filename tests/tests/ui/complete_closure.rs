//! A completion has a name.

use mcp_server::prelude::*;

#[prompt]
async fn find(#[complete(|typing| [])] kind: String) -> String {
    kind
}

fn main() {}
