//! An unknown key lists the known ones.

use mcp_server::prelude::*;

#[tool(destructve)]
async fn find() {}

fn main() {}
