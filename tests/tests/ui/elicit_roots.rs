//! Nobody declines the list of roots.

use mcp_server::prelude::*;

#[tool]
async fn list(#[resolve(Ask::roots())] roots: Elicit<Roots>) {
    let _ = roots;
}

fn main() {}
