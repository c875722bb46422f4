//! A form is flat.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct Address {
    street: String,
}

#[derive(Deserialize, JsonSchema, Form)]
struct Order {
    name: String,
    address: Address,
}

fn main() {}
