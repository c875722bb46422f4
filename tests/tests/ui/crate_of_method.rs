//! The block names the server crate.

use mcp_server::tool;

struct Shop;

#[tool]
impl Shop {
    #[tool(crate = mcp_server)]
    fn quote(&self) {}
}

fn main() {}
