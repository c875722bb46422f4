//! A prompt has no schema.

use mcp_server::prelude::*;

#[prompt(input_schema = schema())]
async fn find() -> String {
    String::new()
}

fn main() {}
