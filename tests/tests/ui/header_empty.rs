//! A header has a name.

use mcp_server::prelude::*;

#[tool]
async fn find(#[header("")] region: String) -> String {
    region
}

fn main() {}
