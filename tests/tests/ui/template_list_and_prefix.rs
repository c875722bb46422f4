//! Lists and prefixes cannot be matched.

use mcp_server::prelude::*;

#[resource("note://{ids*}/{name:3}")]
async fn find(ids: String, name: String) -> String {
    ids + &name
}

fn main() {}
