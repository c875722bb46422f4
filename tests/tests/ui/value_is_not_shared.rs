//! A server calls from any thread, so the value can be shared between them.

use std::cell::Cell;

use mcp_server::tool;

struct Counter(Cell<u32>);

#[tool]
impl Counter {
    #[tool]
    async fn count(&self) -> u32 {
        self.0.replace(1)
    }
}

fn main() {}
