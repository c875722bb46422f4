//! A schema that is given says its headers itself.

use mcp_server::prelude::*;

#[tool(input_schema = schema())]
async fn find(#[header("Region")] region: String) -> String {
    region
}

fn main() {}
