//! Each resource of a template has its own size.

use mcp_server::prelude::*;

#[resource("note://{id}", size = 12)]
async fn find(id: String) -> String {
    id
}

fn main() {}
