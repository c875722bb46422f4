//! A faulty tool brings no second error where it is listed or called.

use mcp_server::prelude::*;

#[tool(nam = "find")]
pub async fn find(text: String) -> String {
    text
}

fn main() {
    let _ = tools![find];
    drop(find(String::new()));
}
