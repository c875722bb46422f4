//! Another crate's `Context` is no argument.

use mcp_server::prelude::*;

mod web {
    pub struct Context;
}

#[tool]
async fn find(ctx: web::Context) {
    let _ = ctx;
}

fn main() {}
