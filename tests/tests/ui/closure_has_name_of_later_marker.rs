//! A closure's own name cannot be told from a mention.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema, Form)]
struct Confirm {
    confirm: bool,
}

fn ask(notes: Option<u32>) -> Ask<Confirm> {
    Ask::form(format!("{notes:?}"))
}

#[tool]
async fn delete(
    #[resolve(ask(Some(1).map(|second| second + 1)))] first: Elicit<Confirm>,
    #[elicit("Sure?")] second: Elicit<Confirm>,
) {
    let _ = (first, second);
}

fn main() {}
