//! Two arguments of one name.

use mcp_server::prelude::*;

#[tool]
async fn find(text: String, #[serde(alias = "text")] words: Vec<String>) -> String {
    format!("{text} {words:?}")
}

fn main() {}
