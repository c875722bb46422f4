//! A variable is text.

use mcp_server::prelude::*;

#[resource("note://{ids}")]
async fn find(ids: Vec<u32>) -> String {
    ids.len().to_string()
}

fn main() {}
