//! There are two audiences.

use mcp_server::prelude::*;

#[resource("note://all", audience("user", "robot"))]
async fn find() -> String {
    String::new()
}

fn main() {}
