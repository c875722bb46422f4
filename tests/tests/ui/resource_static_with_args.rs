//! A URI without variables has no struct of them.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct Which {
    id: String,
}

#[resource("note://all")]
async fn find(which: Args<Which>) -> String {
    which.0.id
}

fn main() {}
