//! A name has only certain characters.

use mcp_server::prelude::*;

#[tool(name = "find it")]
async fn find() {}

fn main() {}
