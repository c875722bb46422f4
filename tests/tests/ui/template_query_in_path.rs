//! A variable of the query has its own form.

use mcp_server::prelude::*;

#[resource("note://all?limit={limit}")]
async fn find(limit: u32) -> String {
    limit.to_string()
}

fn main() {}
