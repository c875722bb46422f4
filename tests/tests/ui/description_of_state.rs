//! Only arguments are described.

use mcp_server::prelude::*;

#[tool]
async fn find(#[serde(default)] notes: State<String>) -> String {
    notes.to_string()
}

fn main() {}
