//! Each variable has its own braces.

use mcp_server::prelude::*;

#[resource("note://{kind,id}")]
async fn find(kind: String, id: String) -> String {
    kind + &id
}

fn main() {}
