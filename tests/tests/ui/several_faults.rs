//! All faults of a function are reported together.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema, Form)]
struct Confirm {
    confirm: bool,
}

#[tool(titel = "Find", timeout = "soon")]
async fn find(text: &String, #[serde(skip)] count: u32, answer: Elicit<Confirm>) -> String {
    let _ = (count, answer);
    text.clone()
}

fn main() {}
