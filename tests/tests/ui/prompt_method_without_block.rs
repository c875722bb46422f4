//! A method needs the attribute on its block too.

use mcp_server::prelude::*;

struct Shop;

impl Shop {
    #[prompt]
    async fn quote(&self) -> String {
        String::new()
    }
}

fn main() {}
