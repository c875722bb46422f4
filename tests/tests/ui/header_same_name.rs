//! The case of a header does not count.

use mcp_server::prelude::*;

#[tool]
async fn find(#[header("Region")] from: String, #[header("REGION")] to: String) -> String {
    from + &to
}

fn main() {}
