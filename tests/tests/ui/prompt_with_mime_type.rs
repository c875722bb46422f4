//! A prompt has no key of resources.

use mcp_server::prelude::*;

#[prompt(mime_type = "text/plain")]
async fn find() -> String {
    String::new()
}

fn main() {}
