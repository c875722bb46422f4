//! `elicit` needs the question.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema, Form)]
struct Confirm {
    confirm: bool,
}

#[tool]
async fn delete(#[elicit] answer: Elicit<Confirm>) {
    let _ = answer;
}

fn main() {}
