//! A function's name may not do as a tool's.

use mcp_server::prelude::*;

#[tool]
async fn größe() {}

fn main() {}
