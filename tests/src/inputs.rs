//! Tools that ask what is no form: the client's model, and its directories.

use mcp_server::{Roots, Sampled, prelude::*};
use serde_json::json;

/// Has the client's model write a line.
#[tool]
pub async fn write_line(#[resolve(line())] line: Resolve<Sampled>) -> String {
    let content = serde_json::to_value(&line.0.content).expect("it is JSON");
    format!("{} by {}", content["text"], line.model)
}

fn line() -> Ask<Sampled> {
    let params = json!({
        "messages": [{"role": "user", "content": {"type": "text", "text": "A line on eggs"}}],
        "maxTokens": 50,
    });
    Ask::sample(serde_json::from_value(params).expect("it is a request for a sample"))
}

/// Lists the client's roots.
#[tool]
pub async fn list_roots(#[resolve(Ask::roots())] roots: Resolve<Roots>) -> String {
    let uris = roots.roots.iter().map(|root| root.uri.to_string());
    uris.collect::<Vec<_>>().join(" ")
}
