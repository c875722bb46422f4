//! A form is one type.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema, Form)]
struct Confirm<T> {
    value: T,
}

fn main() {}
