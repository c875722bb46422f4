//! Fractions are no headers.

use mcp_server::prelude::*;

#[tool]
async fn find(#[header("Limit")] limit: Option<f64>) -> String {
    format!("{limit:?}")
}

fn main() {}
