//! `extra` has two values.

use mcp_server::prelude::*;

#[tool(extra = "allow")]
async fn find() {}

fn main() {}
