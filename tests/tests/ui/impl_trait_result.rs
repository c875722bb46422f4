//! A result has a type.

use mcp_server::prelude::*;

#[tool]
fn find() -> impl Future<Output = String> {
    async { String::new() }
}

fn main() {}
