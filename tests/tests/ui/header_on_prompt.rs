//! Only tools have headers.

use mcp_server::prelude::*;

#[prompt]
async fn find(#[header("Region")] region: String) -> String {
    region
}

fn main() {}
