//! Lists are no headers.

use mcp_server::prelude::*;

#[tool]
async fn find(#[header("Regions")] regions: Vec<String>) -> String {
    regions.concat()
}

fn main() {}
