//! A block has a tool.

use mcp_server::tool;

struct Shop;

#[tool]
impl Shop {
    fn quote(&self) {}
}

fn main() {}
