//! A path takes the rest.

use mcp_server::prelude::*;

#[resource("note://{+path}/text")]
async fn find(path: mcp_server::SafePath) -> String {
    path.to_string()
}

fn main() {}
