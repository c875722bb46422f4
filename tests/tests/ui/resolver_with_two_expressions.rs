//! `resolve` takes one expression.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema, Form)]
struct Confirm {
    confirm: bool,
}

#[tool]
async fn delete(#[resolve(Ask::form("Delete?"), 3)] answer: Elicit<Confirm>) {
    let _ = answer;
}

fn main() {}
