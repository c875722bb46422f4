//! `elicit` shows a form, so the type must be one.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    confirm: bool,
}

#[tool]
async fn delete(#[elicit("Delete?")] answer: Elicit<Confirm>) -> bool {
    matches!(answer, Elicit::Accept(Confirm { confirm: true }))
}

fn main() {}
