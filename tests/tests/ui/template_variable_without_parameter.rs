//! Each variable is taken.

use mcp_server::prelude::*;

#[resource("note://{id}/{part}{?line}")]
async fn find(id: String) -> String {
    id
}

fn main() {}
