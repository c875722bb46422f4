//! An answer is no variable.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema, Form)]
struct Which {
    id: String,
}

#[resource("note://{id}")]
async fn find(#[elicit("Which?")] id: Elicit<Which>) -> String {
    let _ = id;
    String::new()
}

fn main() {}
