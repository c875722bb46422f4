//! A resource has no arguments but the variables.

use mcp_server::prelude::*;

#[resource("note://all", extra = "ignore")]
async fn find() -> String {
    String::new()
}

fn main() {}
