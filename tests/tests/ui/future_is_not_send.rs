//! A future goes to any thread.

use mcp_server::prelude::*;

use std::rc::Rc;

#[tool]
async fn find() -> String {
    let text = Rc::new(String::from("text"));
    std::future::ready(()).await;
    text.to_string()
}

fn main() {}
