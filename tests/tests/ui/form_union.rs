//! A union is no form.

use mcp_server::prelude::*;

#[derive(Form)]
union Confirm {
    a: u8,
    b: u8,
}

fn main() {}
