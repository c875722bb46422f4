//! A tool is not unsafe.

use mcp_server::prelude::*;

#[tool]
unsafe fn two() -> i64 {
    2
}

fn main() {}
