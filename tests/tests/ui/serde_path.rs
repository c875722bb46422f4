//! `default` takes a path in quotes.

use mcp_server::prelude::*;

#[tool]
async fn find(#[serde(default = "one two")] text: String) -> String {
    text
}

fn main() {}
