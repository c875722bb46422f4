//! A form is what is read.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema, Form)]
struct Order {
    #[serde(flatten)]
    rest: String,
}

fn main() {}
