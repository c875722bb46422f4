//! The question is a format string.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema, Form)]
struct Confirm {
    confirm: bool,
}

const QUESTION: &str = "Delete?";

#[tool]
async fn delete(#[elicit(QUESTION)] answer: Elicit<Confirm>) {
    let _ = answer;
}

fn main() {}
