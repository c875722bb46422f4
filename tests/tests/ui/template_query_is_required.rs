//! What is in the query may be missing.

use mcp_server::prelude::*;

#[resource("note://all{?limit}")]
async fn find(limit: u32) -> String {
    limit.to_string()
}

fn main() {}
