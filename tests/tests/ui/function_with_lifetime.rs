//! What an argument borrows has no name.

use mcp_server::prelude::*;

#[tool]
async fn greet<'a>(name: &'a str) -> String {
    name.to_owned()
}

fn main() {}
