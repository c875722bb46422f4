//! A key that needs a value.

use mcp_server::prelude::*;

#[tool(title)]
async fn find() {}

fn main() {}
