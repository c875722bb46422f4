//! An unknown key of an icon lists the known ones.

use mcp_server::prelude::*;

#[tool(icons(icon(src = "https://example.com/a.png", size = ["48x48"])))]
async fn find() {}

fn main() {}
