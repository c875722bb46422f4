//! The two contradict each other.

use mcp_server::prelude::*;

#[tool(read_only, destructive)]
async fn find() {}

fn main() {}
