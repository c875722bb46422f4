//! Variables have names.

use mcp_server::prelude::*;

#[resource("note://{}")]
async fn find() -> String {
    String::new()
}

fn main() {}
