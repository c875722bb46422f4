//! A path is taken as one that stays in its folder.

use mcp_server::prelude::*;

#[resource("note:///{+path}")]
async fn find(path: &str) -> String {
    path.to_owned()
}

fn main() {}
