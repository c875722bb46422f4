//! Unknown bounds are refused.

use mcp_server::prelude::*;

#[tool]
async fn find(#[schemars(range(minimum = 3))] count: u32) -> i64 {
    i64::from(count)
}

fn main() {}
