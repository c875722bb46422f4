//! One way to say a header.

use mcp_server::prelude::*;

#[tool]
async fn find(#[schemars(extend("x-mcp-header" = "Region"))] region: String) -> String {
    region
}

fn main() {}
