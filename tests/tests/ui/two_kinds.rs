//! A function is of one kind.

use mcp_server::prelude::*;

#[tool]
#[prompt]
async fn find() -> String {
    String::new()
}

fn set() -> mcp_server::ToolSet {
    tools![find]
}

fn main() {}
