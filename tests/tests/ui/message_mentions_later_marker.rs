//! A mention inside a format string counts too.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema, Form)]
struct Confirm {
    confirm: bool,
}

#[tool]
async fn delete(
    #[elicit("Delete, after {second:?}?")] answer: Elicit<Confirm>,
    #[elicit("Sure?")] second: Elicit<Confirm>,
) {
    let _ = (answer, second);
}

fn main() {}
