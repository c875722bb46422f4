//! A resolver fails as a tool does.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema, Form)]
struct Confirm {
    confirm: bool,
}

struct Fault;

fn ask() -> Result<Ask<Confirm>, Fault> {
    Err(Fault)
}

#[tool]
async fn delete(#[resolve(ask())] answer: Elicit<Confirm>) {
    let _ = answer;
}

fn main() {}
