//! A trait's methods are no tools.

use mcp_server::tool;

struct Shop;

#[tool]
impl Clone for Shop {
    #[tool]
    fn clone(&self) -> Self {
        Shop
    }
}

fn main() {}
