//! Calls run at the same time.

use mcp_server::tool;

struct Shop;

#[tool]
impl Shop {
    #[tool]
    fn quote(&mut self) {}
}

fn main() {}
