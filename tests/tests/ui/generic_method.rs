//! A method is one function.

use mcp_server::tool;

struct Shop;

#[tool]
impl Shop {
    #[tool]
    fn quote<T: ToString>(&self, text: T) -> String {
        text.to_string()
    }
}

fn main() {}
