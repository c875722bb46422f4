//! A choice is a plain text.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema, Form)]
#[serde(tag = "kind")]
enum Reason {
    Damaged,
    Other,
}

fn main() {}
