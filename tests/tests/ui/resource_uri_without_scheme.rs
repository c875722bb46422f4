//! A URI begins with its scheme.

use mcp_server::prelude::*;

#[resource("notes/all")]
async fn find() -> String {
    String::new()
}

fn main() {}
