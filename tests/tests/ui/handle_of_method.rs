//! A method has no struct.

use mcp_server::tool;

struct Shop;

#[tool]
impl Shop {
    #[tool(handle = quote_tool)]
    fn quote(&self) {}
}

fn main() {}
