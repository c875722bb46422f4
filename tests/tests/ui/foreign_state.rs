//! Another crate's `State` is no argument.

use mcp_server::prelude::*;

mod web {
    pub struct State<T>(pub T);
}

#[tool]
async fn find(notes: web::State<String>) -> String {
    notes.0
}

fn main() {}
