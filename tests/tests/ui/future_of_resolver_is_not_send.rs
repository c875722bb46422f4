//! Neither may a resolver hold on to what stays on one thread.

use std::rc::Rc;

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema, Form)]
struct Confirm {
    confirm: bool,
}

async fn ask() -> Ask<Confirm> {
    let text = Rc::new(String::from("Delete?"));
    std::future::ready(()).await;
    Ask::form(text.to_string())
}

#[tool]
async fn delete(#[resolve(ask().await)] answer: Elicit<Confirm>) {
    let _ = answer;
}

fn main() {}
