//! A default is made by `Default`.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct Filter {
    text: String,
}

#[tool]
async fn find(#[serde(default)] filter: Filter) -> String {
    filter.text
}

fn main() {}
