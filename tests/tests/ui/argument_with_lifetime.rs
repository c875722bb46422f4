//! An argument is read before the function runs, so it borrows nothing but text.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct Filter<'a> {
    #[serde(borrow)]
    text: &'a str,
}

#[tool]
async fn find(words: u8, filter: Filter<'_>) -> String {
    format!("{words} {}", filter.text)
}

fn main() {}
