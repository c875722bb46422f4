//! The official JSON schema, where it is at hand: whatever a server sends in a test must fit it.

mod client;
mod earlier;

pub use self::client::check_client;

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use jsonschema::Validator;
use mcp_server::testing::{Direction, TestCall, TestHost};
use serde::Serialize;
use serde_json::{Value, json};

/// The revision that everything is of unless it says otherwise.
pub const LATEST: &str = "2026-07-28";

/// Calls a tool through a scripted host and checks every message that the server sent.
///
/// # Panics
///
/// If a message does not fit the official schema, or as [`TestHost::call`].
pub async fn call(host: &TestHost, tool: &str, arguments: impl Serialize) -> TestCall {
    let call = host.call(tool, arguments).await;
    check_wire(host);
    call
}

/// Checks every message that the server has sent to a host.
///
/// # Panics
///
/// If one does not fit the official schema.
pub fn check_wire(host: &TestHost) {
    let mut methods = HashMap::new();
    for entry in host.wire() {
        assert_eq!(entry.skipped, None, "the server sent what is no message");
        let Some(message) = entry.message else {
            continue;
        };
        let message: Value = serde_json::from_str(message.get()).unwrap_or_default();
        match entry.direction {
            Direction::Sent => {
                if let Some(method) = message["method"].as_str() {
                    methods.insert(message["id"].to_string(), method.to_owned());
                }
            }
            Direction::Received => check(
                methods.get(&message["id"].to_string()).map(String::as_str),
                &message,
            ),
        }
    }
}

/// Checks one message of a server; `method` is that of the request it answers.
///
/// # Panics
///
/// As [`check_as`].
pub fn check(method: Option<&str>, message: &Value) {
    check_as(LATEST, method, message);
}

/// Checks one message of a server in this revision; `method` is that of the request it answers.
///
/// Without `MCP_SPEC_DIR`, which names the folder with the specification's schemas, nothing is checked.
///
/// # Panics
///
/// If it does not fit the official schema.
pub fn check_as(revision: &'static str, method: Option<&str>, message: &Value) {
    if revision != LATEST {
        return earlier::check(revision, method, message);
    }
    let (definition, value) = definition(method, message);
    fits(revision, definition, value);
}

/// Checks a value against a definition of a revision.
fn fits(revision: &'static str, definition: &'static str, value: &Value) {
    let Some(validator) = validator(revision, definition) else {
        return;
    };
    let faults: Vec<String> = validator
        .iter_errors(value)
        .map(|fault| format!("{}: {fault}", fault.instance_path()))
        .collect();
    assert!(
        faults.is_empty(),
        "this is no {definition} of {revision}:\n{}\n{value:#}",
        faults.join("\n")
    );
}

/// Which definition says what a message must be, and of which part of it.
fn definition<'m>(method: Option<&str>, message: &'m Value) -> (&'static str, &'m Value) {
    if message.get("method").is_some() {
        return ("ServerNotification", message);
    }
    if let Some(error) = message.get("error") {
        let definition = match error["code"].as_i64() {
            Some(-32021) => "MissingRequiredClientCapabilityError",
            Some(-32022) => "UnsupportedProtocolVersionError",
            _ => "JSONRPCErrorResponse",
        };
        return (definition, message);
    }
    let result = &message["result"];
    match (method, result["resultType"].as_str()) {
        (Some("tools/call" | "prompts/get" | "resources/read"), Some("input_required")) => {
            ("InputRequiredResult", result)
        }
        (Some("tools/call"), _) => ("CallToolResult", result),
        (Some("tools/list"), _) => ("ListToolsResult", result),
        (Some("prompts/get"), _) => ("GetPromptResult", result),
        (Some("prompts/list"), _) => ("ListPromptsResult", result),
        (Some("resources/read"), _) => ("ReadResourceResult", result),
        (Some("resources/list"), _) => ("ListResourcesResult", result),
        (Some("resources/templates/list"), _) => ("ListResourceTemplatesResult", result),
        (Some("completion/complete"), _) => ("CompleteResult", result),
        (Some("subscriptions/listen"), _) => ("SubscriptionsListenResult", result),
        (Some("server/discover"), _) => ("DiscoverResult", result),
        _ => ("JSONRPCResultResponse", message),
    }
}

fn validator(revision: &'static str, definition: &'static str) -> Option<Arc<Validator>> {
    type Known = HashMap<(&'static str, &'static str), Arc<Validator>>;
    static VALIDATORS: Mutex<Option<Known>> = Mutex::new(None);
    let mut validators = VALIDATORS.lock().unwrap_or_else(PoisonError::into_inner);
    let validators = validators.get_or_insert_default();
    let key = (revision, definition);
    if let Some(validator) = validators.get(&key) {
        return Some(Arc::clone(validator));
    }
    let schema = schema(revision)?;
    let name = place(&schema);
    assert!(
        schema[name].get(definition).is_some(),
        "revision {revision} has no {definition}"
    );
    let root = json!({
        "$schema": schema["$schema"],
        "$ref": format!("#/{name}/{definition}"),
        name: schema[name],
    });
    let validator = jsonschema::validator_for(&root)
        .unwrap_or_else(|error| panic!("the official schema has no usable {definition}: {error}"));
    let validator = Arc::new(validator);
    validators.insert(key, Arc::clone(&validator));
    Some(validator)
}

/// Where a schema has its definitions.
fn place(schema: &Value) -> &'static str {
    if schema.get("$defs").is_some() {
        "$defs"
    } else {
        "definitions"
    }
}

fn schema(revision: &'static str) -> Option<Value> {
    static SCHEMAS: Mutex<Option<HashMap<&'static str, Value>>> = Mutex::new(None);
    let mut schemas = SCHEMAS.lock().unwrap_or_else(PoisonError::into_inner);
    let schemas = schemas.get_or_insert_default();
    if let Some(schema) = schemas.get(revision) {
        return Some(schema.clone());
    }
    let schema = load(revision)?;
    schemas.insert(revision, schema.clone());
    Some(schema)
}

fn load(revision: &str) -> Option<Value> {
    let Some(dir) = std::env::var_os("MCP_SPEC_DIR") else {
        eprintln!("not compared with the official schema: MCP_SPEC_DIR does not say where it is");
        return None;
    };
    let path = PathBuf::from(dir).join(revision).join("schema.json");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut schema: Value =
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    if revision != LATEST {
        earlier::read_strictly(&mut schema);
    }
    Some(schema)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A check that cannot fail would prove nothing.
    #[test]
    fn a_message_that_does_not_fit_is_found() {
        if load(LATEST).is_none() {
            return;
        }
        let meta = json!({"io.modelcontextprotocol/serverInfo": {"name": "s", "version": "1"}});
        let good = json!({"jsonrpc": "2.0", "id": 1, "result": {
            "resultType": "complete", "tools": [], "ttlMs": 0, "cacheScope": "private", "_meta": meta,
        }});
        check(Some("tools/list"), &good);
        for (method, bad) in [
            (
                "tools/list",
                json!({"jsonrpc": "2.0", "id": 1, "result": {"resultType": "complete", "tools": []}}),
            ),
            (
                "tools/call",
                json!({"jsonrpc": "2.0", "id": 1, "result": {"resultType": "complete"}}),
            ),
            (
                "tools/call",
                json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32021, "message": "m"}}),
            ),
            (
                "",
                json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {}}),
            ),
        ] {
            let checked = std::panic::catch_unwind(|| check(Some(method), &bad));
            assert!(checked.is_err(), "{bad}");
        }
    }
}
