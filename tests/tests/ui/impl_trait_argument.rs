//! An argument needs a type.

use mcp_server::prelude::*;

#[tool]
async fn find(text: impl Into<String>) -> String {
    text.into()
}

fn main() {}
