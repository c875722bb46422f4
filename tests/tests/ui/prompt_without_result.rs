//! A prompt returns something.

use mcp_server::prelude::*;

#[prompt]
async fn find() {}

fn main() {}
