//! A key is given once.

use mcp_server::prelude::*;

#[tool(title = "Find", title = "Search")]
async fn find() {}

fn main() {}
