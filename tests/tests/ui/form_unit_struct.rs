//! A form is an object.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema, Form)]
struct Confirm;

fn main() {}
