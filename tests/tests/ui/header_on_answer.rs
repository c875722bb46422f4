//! Only arguments are headers.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema, Form)]
struct Region {
    name: String,
}

#[tool]
async fn find(
    #[header("Region")]
    #[elicit("Where?")]
    region: Elicit<Region>,
) -> String {
    let _ = region;
    String::new()
}

fn main() {}
