//! A misspelt key of a prompt: the nearest one is offered.

use mcp_server::prelude::*;

#[prompt(titel = "Find")]
async fn find() -> String {
    String::new()
}

fn main() {}
