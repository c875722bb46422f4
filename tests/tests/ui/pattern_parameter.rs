//! A parameter is a plain name.

use mcp_server::prelude::*;

#[tool]
async fn find((a, b): (i64, i64)) -> i64 {
    a + b
}

fn main() {}
