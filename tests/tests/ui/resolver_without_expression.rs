//! `resolve` needs a resolver.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema, Form)]
struct Confirm {
    confirm: bool,
}

#[tool]
async fn delete(#[resolve()] answer: Elicit<Confirm>) {
    let _ = answer;
}

fn main() {}
