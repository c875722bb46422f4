//! A form needs its schema.

use mcp_server::prelude::*;

#[derive(Deserialize, Form)]
struct Order {
    name: String,
}

fn main() {}
