//! Each list takes functions of its own kind.

use mcp_server::prelude::*;

#[prompt]
async fn find() -> String {
    String::new()
}

fn set() -> mcp_server::ToolSet {
    tools![find]
}

fn main() {}
