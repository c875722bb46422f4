//! A flag is true or false.

use mcp_server::prelude::*;

#[tool(read_only = "yes")]
async fn find() {}

fn main() {}
