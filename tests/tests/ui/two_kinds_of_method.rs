//! A method is of one kind.

use mcp_server::prelude::*;

struct Shop;

#[tool]
#[resource]
impl Shop {
    #[tool]
    #[resource("shop://quote")]
    async fn quote(&self) -> String {
        String::new()
    }

    #[resource("shop://catalogue")]
    async fn catalogue(&self) -> String {
        String::new()
    }
}

fn main() {}
