//! A computed doc comment has no text yet.

use mcp_server::prelude::*;

#[tool]
#[doc = concat!("Finds", " it.")]
async fn find() {}

fn main() {}
