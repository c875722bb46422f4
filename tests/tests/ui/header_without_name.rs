//! A header has a name in parentheses.

use mcp_server::prelude::*;

#[tool]
async fn find(#[header = "Region"] region: String) -> String {
    region
}

fn main() {}
