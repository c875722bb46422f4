//! Clients see the name of an argument.

use mcp_server::prelude::*;

#[tool]
async fn find(_: String) {}

fn main() {}
