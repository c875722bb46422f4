//! A size is a number of bytes.

use mcp_server::prelude::*;

#[resource("note://all", size = "4 KiB")]
async fn find() -> String {
    String::new()
}

fn main() {}
