//! A block that is marked has a method that is.

use mcp_server::prelude::*;

struct Shop;

#[prompt]
#[tool]
impl Shop {
    #[tool]
    async fn quote(&self) -> String {
        String::new()
    }
}

fn main() {}
