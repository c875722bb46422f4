//! Some forms of templates cannot be matched.

use mcp_server::prelude::*;

#[resource("note://all{/id}")]
async fn find(id: String) -> String {
    id
}

fn main() {}
