//! A choice has plain variants.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema, Form)]
enum Reason {
    Damaged,
    Other(String),
}

fn main() {}
