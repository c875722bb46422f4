//! Asking by hand and by parameters do not mix.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema, Form)]
struct Confirm {
    confirm: bool,
}

#[tool]
async fn delete(
    #[elicit("Delete?")] answer: Elicit<Confirm>,
) -> Result<Outcome<String>, ToolError> {
    let _ = answer;
    Ok(Outcome::Complete(String::new()))
}

fn main() {}
