//! A result is something that can be shown.

use mcp_server::prelude::*;

struct Row;

#[tool]
async fn find() -> Row {
    Row
}

fn main() {}
