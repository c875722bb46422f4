//! The key of `once` is made from the arguments.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema, Form)]
struct Confirm {
    confirm: bool,
}

#[tool(once = format!("{id} {answer:?}"))]
async fn delete(id: String, #[elicit("Delete?")] answer: Elicit<Confirm>) -> String {
    let _ = answer;
    id
}

fn main() {}
