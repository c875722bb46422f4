//! Unknown keywords are refused.

use mcp_server::prelude::*;

#[tool]
async fn find(#[schemars(lenght(max = 3))] text: String) -> String {
    text
}

fn main() {}
