//! An argument describes itself.

use mcp_server::prelude::*;

#[derive(Deserialize)]
struct Filter {
    text: String,
}

#[tool]
async fn find(filter: Filter) -> String {
    filter.text
}

fn main() {}
