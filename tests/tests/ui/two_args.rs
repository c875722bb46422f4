//! `Args` is all arguments, once.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct Search {
    text: String,
}

#[tool]
async fn search(args: Args<Search>, more: Args<Search>) -> String {
    format!("{} {}", args.text, more.text)
}

fn main() {}
