//! It must be known where a variable ends.

use mcp_server::prelude::*;

#[resource("note://{kind}{id}")]
async fn find(kind: String, id: String) -> String {
    kind + &id
}

fn main() {}
