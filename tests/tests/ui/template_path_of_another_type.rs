//! Other types do not stay in a folder either: the trait decides.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct SafePath(String);

#[resource("note:///{+path}")]
async fn find(path: SafePath) -> String {
    path.0
}

fn main() {}
