//! A variable has one value.

use mcp_server::prelude::*;

#[resource("note://{id}/{id}")]
async fn find(id: String) -> String {
    id
}

fn main() {}
