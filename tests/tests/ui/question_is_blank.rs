//! A question that says nothing.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema, Form)]
struct Confirm {
    confirm: bool,
}

#[tool]
async fn delete(#[elicit(" ")] answer: Elicit<Confirm>) -> bool {
    matches!(answer, Elicit::Accept(_))
}

fn main() {}
