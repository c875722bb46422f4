//! Only `&str` is borrowed.

use mcp_server::prelude::*;

#[tool]
async fn sum(numbers: &[i64]) -> i64 {
    numbers.iter().sum()
}

fn main() {}
