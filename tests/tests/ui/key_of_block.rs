//! A block has one key.

use mcp_server::tool;

struct Shop;

#[tool(title = "Shop")]
impl Shop {
    #[tool]
    fn quote(&self) {}
}

fn main() {}
