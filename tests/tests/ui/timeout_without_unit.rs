//! A time has a unit.

use mcp_server::prelude::*;

#[tool(timeout = "30")]
async fn find() {}

fn main() {}
