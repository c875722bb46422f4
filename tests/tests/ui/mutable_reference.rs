//! Nothing is borrowed mutably.

use mcp_server::prelude::*;

#[tool]
async fn find(text: &mut String) -> String {
    text.clone()
}

fn main() {}
