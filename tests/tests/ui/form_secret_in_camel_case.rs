//! Neither under another name on the wire.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema, Form)]
#[serde(rename_all = "camelCase")]
struct Login {
    user: String,
    #[serde(rename = "apiKey")]
    value: String,
}

fn main() {}
