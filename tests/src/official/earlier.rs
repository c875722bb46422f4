//! The official JSON schemas of the revisions with a handshake, read strictly: what a server sends to a client of one of them
//! must fit, and has no member that the revision does not know.

use serde_json::{Value, json};

use super::{fits, place};

const BATCHES: &str = "2025-03-26";
const NEWEST: &str = "2025-11-25";

/// Checks one message of a server; `method` is that of the request it answers.
pub(super) fn check(revision: &'static str, method: Option<&str>, message: &Value) {
    if let Value::Array(members) = message {
        assert_eq!(revision, BATCHES, "a batch: {message}");
        fits(revision, "JSONRPCBatchResponse", message);
        for member in members {
            check(revision, None, member);
        }
        return;
    }
    let (envelope, inner) = definitions(revision, method, message);
    fits(revision, envelope, message);
    if let Some((definition, part)) = inner {
        let mut part = part.clone();
        // Until 2025-06-18, the definitions of methods leave the envelope out.
        if revision < NEWEST
            && let Some(part) = part.as_object_mut()
        {
            part.remove("jsonrpc");
            part.remove("id");
        }
        fits(revision, definition, &part);
    }
}

type Inner<'m> = (&'static str, &'m Value);

/// Which definitions say what a message must be: one for its envelope, one for what is in it.
fn definitions<'m>(
    revision: &str,
    method: Option<&str>,
    message: &'m Value,
) -> (&'static str, Option<Inner<'m>>) {
    let is_newest = revision == NEWEST;
    if let Some(sent) = message["method"].as_str() {
        let envelope = match message.get("id") {
            Some(_) => "JSONRPCRequest",
            None => "JSONRPCNotification",
        };
        let definition = match (envelope, sent) {
            ("JSONRPCRequest", "ping") => "PingRequest",
            ("JSONRPCRequest", "elicitation/create") => "ElicitRequest",
            ("JSONRPCRequest", "sampling/createMessage") => "CreateMessageRequest",
            ("JSONRPCRequest", "roots/list") => "ListRootsRequest",
            (_, "notifications/cancelled") => "CancelledNotification",
            (_, "notifications/progress") => "ProgressNotification",
            (_, "notifications/message") => "LoggingMessageNotification",
            (_, "notifications/resources/updated") => "ResourceUpdatedNotification",
            (_, "notifications/resources/list_changed") => "ResourceListChangedNotification",
            (_, "notifications/tools/list_changed") => "ToolListChangedNotification",
            (_, "notifications/prompts/list_changed") => "PromptListChangedNotification",
            (_, "notifications/elicitation/complete") => "ElicitationCompleteNotification",
            _ => panic!("no server sends {sent} to a client of {revision}: {message}"),
        };
        return (envelope, Some((definition, message)));
    }
    if let Some(error) = message.get("error") {
        let envelope = match (is_newest, error["code"].as_i64()) {
            (true, Some(-32042)) => "URLElicitationRequiredError",
            (true, _) => "JSONRPCErrorResponse",
            (false, _) => "JSONRPCError",
        };
        let code = error["code"].as_i64().unwrap_or_default();
        let is_later = (-32099..=-32020).contains(&code) && !(is_newest && code == -32042);
        assert!(!is_later, "{revision} has no such code: {message}");
        return (envelope, None);
    }
    let envelope = match is_newest {
        true => "JSONRPCResultResponse",
        false => "JSONRPCResponse",
    };
    let definition = match method {
        Some("initialize") => "InitializeResult",
        Some("ping" | "logging/setLevel" | "resources/subscribe" | "resources/unsubscribe") => {
            "EmptyResult"
        }
        Some("tools/call") => "CallToolResult",
        Some("tools/list") => "ListToolsResult",
        Some("prompts/get") => "GetPromptResult",
        Some("prompts/list") => "ListPromptsResult",
        Some("resources/read") => "ReadResourceResult",
        Some("resources/list") => "ListResourcesResult",
        Some("resources/templates/list") => "ListResourceTemplatesResult",
        Some("completion/complete") => "CompleteResult",
        _ => return (envelope, None),
    };
    (envelope, Some((definition, &message["result"])))
}

/// Closes the definitions of a schema.
pub(super) fn read_strictly(schema: &mut Value) {
    let name = place(schema);
    let definitions = schema[name].as_object_mut();
    for (name, definition) in definitions.into_iter().flatten() {
        // Envelopes hold anything, and what a model's hint may say is open.
        if !name.starts_with("JSONRPC") && name != "ModelHint" && name != "Error" {
            close(definition);
        }
    }
}

/// Lets an object have no members but those that it names, and `_meta`; schemas of tools are their own.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(schema) => {
            if let Some(Value::Object(properties)) = schema.get_mut("properties") {
                properties.entry("_meta").or_insert(json!({}));
                for (name, property) in properties {
                    if !["inputSchema", "outputSchema", "_meta"].contains(&&**name) {
                        close(property);
                    }
                }
                schema.entry("additionalProperties").or_insert(json!(false));
            }
            for keyword in ["items", "additionalProperties", "anyOf", "oneOf"] {
                schema.get_mut(keyword).into_iter().for_each(close);
            }
        }
        Value::Array(schemas) => schemas.iter_mut().for_each(close),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A check that cannot fail would prove nothing.
    #[test]
    fn a_message_that_does_not_fit_is_found() {
        if std::env::var_os("MCP_SPEC_DIR").is_none() {
            return;
        }
        let result = |result: Value| json!({"jsonrpc": "2.0", "id": 1, "result": result});
        let text = json!({"type": "text", "text": "t", "_meta": {"a/b": 1}});
        let audio = json!({"type": "audio", "data": "aGk=", "mimeType": "audio/wav"});
        let (oldest, newest) = ("2024-11-05", NEWEST);
        check(
            oldest,
            Some("tools/call"),
            &result(json!({"content": [text]})),
        );
        check(
            newest,
            Some("tools/call"),
            &result(json!({"content": [audio]})),
        );
        check(newest, Some("ping"), &result(json!({})));
        for (revision, method, bad) in [
            (
                newest,
                "tools/call",
                result(json!({"content": [text], "resultType": "complete"})),
            ),
            (oldest, "tools/call", result(json!({"content": [audio]}))),
            (
                oldest,
                "tools/call",
                result(json!({"content": [text], "structuredContent": {}})),
            ),
            (
                newest,
                "ping",
                json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32021, "message": "m"}}),
            ),
            (
                oldest,
                "",
                json!({"jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": {}}),
            ),
            (
                oldest,
                "",
                json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {
                    "progressToken": 1, "progress": 1, "message": "m",
                }}),
            ),
        ] {
            let checked = std::panic::catch_unwind(|| check(revision, Some(method), &bad));
            assert!(checked.is_err(), "{bad}");
        }
    }
}
