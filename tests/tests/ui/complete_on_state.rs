//! Only arguments are completed.

use mcp_server::prelude::*;

#[prompt]
async fn find(#[complete("a")] kind: State<String>) -> String {
    kind.to_string()
}

fn main() {}
