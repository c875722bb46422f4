//! A parameter is always there.

use mcp_server::prelude::*;

#[tool]
async fn find(#[cfg(unix)] text: String) -> String {
    text
}

fn main() {}
