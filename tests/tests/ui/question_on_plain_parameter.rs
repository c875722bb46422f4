//! A question is for a marker type.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema, Form)]
struct Confirm {
    confirm: bool,
}

#[tool]
async fn delete(#[elicit("Delete?")] answer: Confirm) -> bool {
    answer.confirm
}

fn main() {}
