//! What a server says of itself, made once: the result of `server/discover`, and the end of every result.

use std::time::Duration;

use mcp_core::{Revision, protocol::Implementation, rpc::write_json};
use serde_json::{Value, json};

use crate::{methods::COMPLETE, server::Inner};

/// The end of every result, from inside of its `_meta` on.
///
/// Specification: basic/index, Per-response protocol fields.
pub(super) fn server_info(info: &Implementation) -> String {
    let mut out = br#""io.modelcontextprotocol/serverInfo":"#.to_vec();
    write_json(&mut out, info);
    out.extend_from_slice(b"}}");
    String::from_utf8_lossy(&out).into_owned()
}

/// The result of `server/discover`, without its `_meta`: `{.., "_meta":{` is left open.
///
/// Specification: server/discover, DiscoverResult.
pub(super) fn discover(instructions: Option<&str>, server: &Inner) -> String {
    let versions = Revision::modern_names();
    let mut capabilities = json!({ "logging": {} });
    let offered = [
        ("tools", server.has_tools(), json!({ "listChanged": true })),
        (
            "prompts",
            !server.prompts.is_empty(),
            json!({ "listChanged": true }),
        ),
        (
            "resources",
            server.has_resources(),
            json!({ "listChanged": true, "subscribe": true }),
        ),
        ("completions", server.serves(COMPLETE), json!({})),
    ];
    for (name, _, capability) in offered.into_iter().filter(|(_, offered, _)| *offered) {
        capabilities[name] = capability;
    }
    if !server.extensions.is_empty() {
        let extensions = server.extensions.iter();
        let declared = extensions.map(|e| (e.name().to_owned(), e.settings()));
        capabilities["extensions"] = Value::Object(declared.collect());
    }
    let mut result = json!({
        "resultType": "complete",
        "supportedVersions": versions,
        "capabilities": capabilities,
        "ttlMs": millis(server.options.list_ttl),
        "cacheScope": server.options.scope(false),
    });
    if let Some(instructions) = instructions {
        result["instructions"] = instructions.into();
    }
    let mut text = result.to_string();
    text.pop();
    text.push_str(r#","_meta":{"#);
    text
}

/// A duration as `ttlMs`.
pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
