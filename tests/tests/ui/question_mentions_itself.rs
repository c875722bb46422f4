//! A question cannot depend on its own answer.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema, Form)]
struct Confirm {
    confirm: bool,
}

#[tool]
async fn delete(#[elicit("Delete {answer:?}?")] answer: Elicit<Confirm>) {
    let _ = answer;
}

fn main() {}
