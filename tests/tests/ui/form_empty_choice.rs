//! A choice has something to choose.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema, Form)]
enum Reason {}

fn main() {}
