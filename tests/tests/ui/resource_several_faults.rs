//! All faults of a resource are reported together, the function is still there, and registering it is no further fault.

use mcp_server::prelude::*;

#[resource("note://{id}/{+path}/{#x}", priority = 2, read_only)]
async fn find(
    id: &String,
    #[complete] path: String,
    #[header("Path")] x: mcp_server::State<String>,
) -> String {
    let _ = (id, x);
    path
}

fn set() -> mcp_server::ResourceSet {
    let _ = find;
    resources![find]
}

fn main() {}
