//! A marker type needs an attribute that says what to ask.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema, Form)]
struct Confirm {
    confirm: bool,
}

#[tool]
async fn delete(id: String, answer: Elicit<Confirm>) -> String {
    let _ = answer;
    id
}

fn main() {}
