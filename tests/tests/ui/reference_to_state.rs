//! State is cheap to hand over.

use mcp_server::prelude::*;

#[tool]
async fn find(notes: &State<String>) -> String {
    notes.to_string()
}

fn main() {}
