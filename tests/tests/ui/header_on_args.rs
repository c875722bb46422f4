//! A field says itself that it is a header.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct Region {
    name: String,
}

#[tool]
async fn find(#[header("Region")] region: Args<Region>) -> String {
    region.0.name
}

fn main() {}
