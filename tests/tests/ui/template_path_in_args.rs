//! What a field of a struct makes of a path is not seen.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct Which {
    path: String,
}

#[resource("note:///{+path}")]
async fn find(which: Args<Which>) -> String {
    which.0.path
}

fn main() {}
