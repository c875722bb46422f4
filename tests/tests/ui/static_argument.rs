//! An argument belongs to its message.

use mcp_server::prelude::*;

#[tool]
async fn greet(name: &'static str) -> String {
    name.to_owned()
}

fn main() {}
