//! The URI is read by the macro.

use mcp_server::prelude::*;

const URI: &str = "note://all";

#[resource(URI)]
async fn find() -> String {
    String::new()
}

fn main() {}
