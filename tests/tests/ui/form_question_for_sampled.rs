//! A completion is not asked for with a form.

use mcp_server::prelude::*;

#[tool]
async fn summarise(#[elicit("Summarise?")] text: Resolve<Sampled>) {
    let _ = text;
}

fn main() {}
