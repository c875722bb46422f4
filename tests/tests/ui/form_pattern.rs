//! The specification's forms have no pattern.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema, Form)]
struct Parcel {
    #[schemars(regex(pattern = "^[A-Z]{2}"))]
    code: String,
}

fn main() {}
