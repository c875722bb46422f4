//! The resolver gives another form than the marker takes.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema, Form)]
struct Confirm {
    confirm: bool,
}

#[derive(Deserialize, JsonSchema, Form)]
struct Other {
    other: bool,
}

fn other() -> Ask<Other> {
    Ask::form("Other?")
}

#[tool]
async fn delete(#[resolve(other())] answer: Elicit<Confirm>) {
    let _ = answer;
}

fn main() {}
