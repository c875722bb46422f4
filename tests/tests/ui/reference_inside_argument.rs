//! `&str` is borrowed only as a whole.

use mcp_server::prelude::*;

#[tool]
async fn find(text: Option<&str>) -> String {
    text.unwrap_or_default().to_owned()
}

fn main() {}
