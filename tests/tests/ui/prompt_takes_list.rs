//! The arguments of a prompt are text.

use mcp_server::prelude::*;

#[prompt]
async fn find(words: Vec<String>) -> String {
    words.concat()
}

fn main() {}
