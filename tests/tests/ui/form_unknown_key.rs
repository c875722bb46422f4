//! Unknown keys list the known ones.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema, Form)]
struct Order {
    #[form(titel = "Name")]
    name: String,
}

fn main() {}
