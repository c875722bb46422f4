//! `Args` is all arguments.

use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct Search {
    text: String,
}

#[tool]
async fn search(args: Args<Search>, limit: u32) -> String {
    format!("{} {limit}", args.text)
}

fn main() {}
