//! A time is written in quotes.

use mcp_server::prelude::*;

#[tool(timeout = 30)]
async fn find() {}

fn main() {}
