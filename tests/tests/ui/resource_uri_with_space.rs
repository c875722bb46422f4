//! What cannot stand in a URI is encoded.

use mcp_server::prelude::*;

#[resource("note://all notes")]
async fn find() -> String {
    String::new()
}

fn main() {}
