//! Nobody declines a completion.

use mcp_server::prelude::*;

#[tool]
async fn summarise(#[resolve(todo!())] text: Elicit<Sampled>) {
    let _ = text;
}

fn main() {}
