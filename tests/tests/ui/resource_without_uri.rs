//! A resource has a URI.

use mcp_server::prelude::*;

#[resource]
async fn find() -> String {
    String::new()
}

fn main() {}
