//! A tool of a block takes `&self`.

use mcp_server::tool;

struct Shop;

#[tool]
impl Shop {
    #[tool]
    fn quote() {}
}

fn main() {}
