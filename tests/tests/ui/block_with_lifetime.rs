//! A server keeps its value.

use mcp_server::tool;

struct Shop<'a>(&'a str);

#[tool]
impl<'a> Shop<'a> {
    #[tool]
    fn name(&self) -> String {
        self.0.to_owned()
    }
}

fn main() {}
