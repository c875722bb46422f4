//! A parameter has one question.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema, Form)]
struct Confirm {
    confirm: bool,
}

#[tool]
async fn delete(
    #[elicit("Delete?")]
    #[resolve(Ask::form("Delete?"))]
    answer: Elicit<Confirm>,
) {
    let _ = answer;
}

fn main() {}
