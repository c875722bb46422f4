//! A form is what is shown.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema, Form)]
struct Order {
    #[schemars(with = "String")]
    count: u32,
}

fn main() {}
