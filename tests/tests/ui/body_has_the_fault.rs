//! A fault of the body is the only one.

use mcp_server::prelude::*;

#[tool]
async fn find(text: String) -> String {
    text.len()
}

fn main() {
    let _ = tools![find];
}
