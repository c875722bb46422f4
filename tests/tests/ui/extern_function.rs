//! A tool is not extern.

use mcp_server::prelude::*;

#[tool]
extern "C" fn two() -> i64 {
    2
}

fn main() {}
