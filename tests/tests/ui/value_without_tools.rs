//! A value becomes tools by its marked `impl` block.

use mcp_server::prelude::*;

struct Shop;

fn main() {
    let _ = Server::builder("shop", "1.0.0").tools(Shop);
}
