//! A question can mention only what is resolved before it.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema, Form)]
struct Confirm {
    confirm: bool,
}

#[tool]
async fn delete(
    #[resolve(first(&second))] answer: Elicit<Confirm>,
    #[elicit("Sure?")] second: Elicit<Confirm>,
) {
    let _ = (answer, second);
}

fn first(_: &Elicit<Confirm>) -> Ask<Confirm> {
    Ask::form("Delete?")
}

fn main() {}
