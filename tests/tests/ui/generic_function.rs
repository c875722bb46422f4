//! A tool is one function.

use mcp_server::prelude::*;

#[tool]
async fn find<T: ToString>(text: T) -> String {
    text.to_string()
}

fn main() {}
