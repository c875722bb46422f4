//! `#[tool]` is for functions and blocks of methods.

use mcp_server::prelude::*;

#[tool]
struct Shop;

fn main() {}
