//! An icon has a URI that clients can open.

use mcp_server::prelude::*;

#[tool(icons("icons/find.png"))]
async fn find() {}

fn main() {}
