//! An error says what the model or the log shall read.

use mcp_server::prelude::*;

enum Fault {
    Sold,
}

#[tool]
async fn buy() -> Result<String, Fault> {
    Err(Fault::Sold)
}

fn main() {}
