//! A form is no place for secrets.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema, Form)]
struct Login {
    user: String,
    password: String,
}

fn main() {}
