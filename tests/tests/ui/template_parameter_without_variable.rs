//! Each parameter is a variable.

use mcp_server::prelude::*;

#[resource("note://{id}")]
async fn find(id: String, part: String) -> String {
    id + &part
}

fn main() {}
