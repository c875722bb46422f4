//! Another crate's `Elicit` asks nobody.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema, Form)]
struct Confirm {
    confirm: bool,
}

mod web {
    pub struct Elicit<T>(pub T);
}

#[tool]
async fn find(#[resolve(Ask::form("Find?"))] answer: web::Elicit<Confirm>) -> bool {
    answer.0.confirm
}

fn main() {}
