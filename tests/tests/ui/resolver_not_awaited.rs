//! An asynchronous resolver is awaited.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema, Form)]
struct Confirm {
    confirm: bool,
}

async fn ask() -> Ask<Confirm> {
    Ask::form("Sure?")
}

#[tool]
async fn delete(#[resolve(ask())] answer: Elicit<Confirm>) {
    let _ = answer;
}

fn main() {}
