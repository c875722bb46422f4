//! `crate` takes a path.

use mcp_server::prelude::*;

#[tool(crate = "mcp_server")]
async fn find() {}

fn main() {}
