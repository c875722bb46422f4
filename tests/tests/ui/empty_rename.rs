//! An argument has a name.

use mcp_server::prelude::*;

#[tool]
async fn find(#[serde(rename = "")] text: String) -> String {
    text
}

fn main() {}
