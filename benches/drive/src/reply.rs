//! What a right reply says, field by field.

use serde_json::Value;

use crate::template::MIN_STATE;
use crate::workload::{QUESTION, Workload};

/// What a right reply asks for.
#[derive(Debug)]
pub(crate) enum Said {
    /// Nothing: the call is complete.
    Complete,
    /// The call again, with an answer under this key and with this state.
    Asked { key: String, state: String },
}

/// The id of any reply.
pub(crate) fn id(reply: &Value) -> Option<u64> {
    reply.get("id")?.as_u64()
}

/// Checks a reply that must carry the value `wanted`; `asks` tells that it must be a question.
pub(crate) fn check(
    workload: Workload,
    asks: bool,
    reply: &Value,
    wanted: &str,
) -> Result<Said, &'static str> {
    if reply["jsonrpc"] != "2.0" {
        return Err("it is not JSON-RPC 2.0");
    }
    if reply.get("error").is_some() {
        return Err("it is an error");
    }
    let result = &reply["result"];
    if asks {
        return asked(result);
    }
    if result["resultType"] != "complete" {
        return Err("it is not complete");
    }
    if workload == Workload::List {
        return listed(result).map(|()| Said::Complete);
    }
    if result["isError"] == true {
        return Err("it is a tool's error");
    }
    let content = result["content"].as_array().ok_or("it has no content")?;
    let [block] = &content[..] else {
        return Err("it has not exactly one block");
    };
    let text = block["text"].as_str().filter(|_| block["type"] == "text");
    let text = text.ok_or("its block is no text")?;
    let right = match workload {
        Workload::Echo100 | Workload::Echo64k => {
            text.strip_prefix(wanted) == Some(&workload.filler())
        }
        Workload::Add => {
            let sum = serde_json::json!({"sum": wanted.parse::<u64>().ok()});
            result["structuredContent"] == sum
                && serde_json::from_str::<Value>(text).is_ok_and(|value| value == sum)
        }
        Workload::Confirm => text.strip_prefix("deleted ") == Some(wanted),
        Workload::List => false,
    };
    if right {
        Ok(Said::Complete)
    } else {
        Err("its text is wrong")
    }
}

fn asked(result: &Value) -> Result<Said, &'static str> {
    if result["resultType"] != "input_required" {
        return Err("it is no question");
    }
    let requests = result["inputRequests"].as_object();
    let requests = requests.ok_or("it has no input requests")?;
    let mut entries = requests.iter();
    let (Some((key, request)), None) = (entries.next(), entries.next()) else {
        return Err("it has not exactly one input request");
    };
    let params = &request["params"];
    if request["method"] != "elicitation/create"
        || params["message"] != QUESTION
        || params["requestedSchema"]["properties"]["confirm"]["type"] != "boolean"
    {
        return Err("it asks something else");
    }
    match result["requestState"].as_str() {
        Some(state) if state.len() >= MIN_STATE && !state.contains(['"', '\\']) => {
            Ok(Said::Asked {
                key: key.clone(),
                state: state.to_owned(),
            })
        }
        _ => Err("its state is missing, too short or no plain text"),
    }
}

fn listed(result: &Value) -> Result<(), &'static str> {
    let tools = result["tools"].as_array().ok_or("it has no tools")?;
    let has = |name: &str| {
        tools.iter().any(|tool| {
            tool["name"] == name && tool["inputSchema"]["properties"].as_object().is_some()
        })
    };
    let dummies = (0..100).all(|number| has(&format!("dummy_{number:03}")));
    if tools.len() == 103 && dummies && ["echo", "add", "confirm_delete"].into_iter().all(has) {
        Ok(())
    } else {
        Err("it lists other tools")
    }
}
