//! The same for what a client sends to a server of a revision with a handshake.

use serde_json::Value;

use super::fits;

const NEWEST: &str = "2025-11-25";

/// Checks one message of a client; `method` is that of the request it answers.
///
/// # Panics
///
/// If it does not fit the official schema.
pub fn check_client(revision: &'static str, method: Option<&str>, message: &Value) {
    // In `_meta` and in empty results anything fits, so what is of today is looked for.
    let text = message.to_string();
    assert!(!text.contains("io.modelcontextprotocol/"), "{message}");
    assert_eq!(message["result"].get("resultType"), None, "{message}");
    let (envelope, definition) = definitions(revision, method, message);
    fits(revision, envelope, message);
    let Some(definition) = definition else {
        return;
    };
    let mut part = match message.get("result") {
        Some(result) => result.clone(),
        None => message.clone(),
    };
    // Until 2025-06-18, the definitions of methods leave the envelope out.
    if revision < NEWEST
        && let Some(part) = part.as_object_mut()
    {
        part.remove("jsonrpc");
        part.remove("id");
    }
    fits(revision, definition, &part);
}

/// The definitions of the envelope and of what is in it.
fn definitions(
    revision: &str,
    method: Option<&str>,
    message: &Value,
) -> (&'static str, Option<&'static str>) {
    let is_newest = revision == NEWEST;
    if let Some(sent) = message["method"].as_str() {
        let envelope = match message.get("id") {
            Some(_) => "JSONRPCRequest",
            None => "JSONRPCNotification",
        };
        let definition = match sent {
            "initialize" => "InitializeRequest",
            "ping" => "PingRequest",
            "logging/setLevel" => "SetLevelRequest",
            "tools/list" => "ListToolsRequest",
            "tools/call" => "CallToolRequest",
            "prompts/list" => "ListPromptsRequest",
            "prompts/get" => "GetPromptRequest",
            "resources/list" => "ListResourcesRequest",
            "resources/templates/list" => "ListResourceTemplatesRequest",
            "resources/read" => "ReadResourceRequest",
            "resources/subscribe" => "SubscribeRequest",
            "resources/unsubscribe" => "UnsubscribeRequest",
            "completion/complete" => "CompleteRequest",
            "notifications/initialized" => "InitializedNotification",
            "notifications/cancelled" => "CancelledNotification",
            "notifications/roots/list_changed" => "RootsListChangedNotification",
            _ => panic!("no client sends {sent} to a server of {revision}: {message}"),
        };
        return (envelope, Some(definition));
    }
    if message.get("error").is_some() {
        let envelope = match is_newest {
            true => "JSONRPCErrorResponse",
            false => "JSONRPCError",
        };
        return (envelope, None);
    }
    let envelope = match is_newest {
        true => "JSONRPCResultResponse",
        false => "JSONRPCResponse",
    };
    let definition = match method {
        Some("elicitation/create") => "ElicitResult",
        Some("sampling/createMessage") => "CreateMessageResult",
        Some("roots/list") => "ListRootsResult",
        _ => "EmptyResult",
    };
    (envelope, Some(definition))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A check that cannot fail would prove nothing.
    #[test]
    fn a_message_that_does_not_fit_is_found() {
        if std::env::var_os("MCP_SPEC_DIR").is_none() {
            return;
        }
        let sampling = Some("sampling/createMessage");
        let block = json!({"type": "text", "text": "t"});
        let answer = |result: Value| json!({"jsonrpc": "2.0", "id": 1, "result": result});
        let said = |content| answer(json!({"role": "user", "model": "m", "content": content}));
        let call =
            |params| json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        check_client("2025-06-18", sampling, &said(block.clone()));
        check_client("2025-06-18", None, &call(json!({"name": "t"})));
        let today = json!({"io.modelcontextprotocol/protocolVersion": "2025-06-18"});
        for (method, bad) in [
            (sampling, said(json!([block]))),
            (None, call(json!({}))),
            (None, call(json!({"name": "t", "inputResponses": {}}))),
            (None, call(json!({"name": "t", "_meta": today}))),
            (Some("roots/list"), answer(json!({}))),
            (Some("ping"), answer(json!({"resultType": "complete"}))),
        ] {
            let checked = std::panic::catch_unwind(|| check_client("2025-06-18", method, &bad));
            assert!(checked.is_err(), "{bad}");
        }
    }
}
