//! Only arguments are completed, not structs of them.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct Which {
    id: String,
}

#[prompt]
async fn find(#[complete("a")] which: Args<Which>) -> String {
    which.0.id
}

fn main() {}
