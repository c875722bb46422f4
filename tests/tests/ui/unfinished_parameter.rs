//! A function that does not parse keeps its name: no error where it is registered.

use mcp_server::prelude::*;

#[tool]
async fn find(text: &'a) -> String {
    String::new()
}

fn main() {
    let _ = tools![find];
}
