//! A tool is not const.

use mcp_server::prelude::*;

#[tool]
const fn two() -> i64 {
    2
}

fn main() {}
