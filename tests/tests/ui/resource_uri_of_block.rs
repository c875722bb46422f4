//! Each method has its own URI.

use mcp_server::prelude::*;

struct Shop;

#[resource("shop://")]
impl Shop {
    #[resource("shop://quote")]
    async fn quote(&self) -> String {
        String::new()
    }
}

fn main() {}
