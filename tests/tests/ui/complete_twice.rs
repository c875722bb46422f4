//! A parameter has one completion.

use mcp_server::prelude::*;

#[prompt]
async fn find(
    #[complete("a")]
    #[complete("b")]
    kind: String,
) -> String {
    kind
}

fn main() {}
