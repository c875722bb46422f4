//! Most serde attributes need a struct.

use mcp_server::prelude::*;

#[tool]
async fn find(#[serde(flatten)] text: String) -> String {
    text
}

fn main() {}
