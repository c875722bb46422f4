//! A list in a form is a choice.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema, Form)]
struct Order {
    names: Vec<String>,
}

fn main() {}
