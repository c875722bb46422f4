//! Retries that a client must not get away with, and the honest one.

use mcp_client::{Error, Round};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Played, desk::Desk, out::say};
use crate::shop::model::Refund;

pub(super) async fn play(desk: &Desk) -> Played {
    let quote = desk.quote("O-2289").await?.id;
    let other_quote = desk.quote("O-2289").await?.id;
    let session = desk.client.session();
    let asked = session.call_tool("issue_refund", json!({ "quote_id": quote }));
    let Round::InputRequired(paused) = asked.await? else {
        return Err("issue_refund did not ask".into());
    };
    let state = paused.request_state().ok_or("issue_refund gave no state")?;

    let retries = [
        ("one character changed", &quote, Some(altered(&state))),
        ("answer without state", &quote, None),
        (
            "state with other arguments",
            &other_quote,
            Some(state.clone()),
        ),
        ("honest retry", &quote, Some(state.clone())),
        ("same retry again", &quote, Some(state)),
    ];
    for (what, quote, state) in retries {
        let mut params = json!({
            "name": "issue_refund",
            "arguments": { "quote_id": quote },
            "inputResponses": {
                "confirm": { "action": "accept", "content": { "release": true } },
            },
        });
        if let Some(state) = state {
            params["requestState"] = state.into();
        }
        // `PausedCall` would make none of these mistakes, so the request is made by hand.
        let outcome = match session.request("tools/call", params).await {
            Ok(result) => outcome(serde_json::from_str(result.get())?)?,
            Err(Error::Rpc(error)) => format!("{} {}", error.code, error.message),
            Err(error) => return Err(error.into()),
        };
        say!("{what}: {outcome}");
    }
    Ok(())
}

/// The state with another character in its middle, one that a state may hold.
fn altered(state: &str) -> String {
    let middle = state.len() / 2;
    let other = match &state[middle..=middle] {
        "A" => "B",
        _ => "A",
    };
    format!("{}{other}{}", &state[..middle], &state[middle + 1..])
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CallResult {
    result_type: String,
    #[serde(default)]
    is_error: bool,
    #[serde(default)]
    content: Vec<Value>,
    structured_content: Option<Refund>,
}

fn outcome(result: CallResult) -> Result<String, &'static str> {
    if result.result_type == "input_required" {
        return Ok("input_required, the server asks again".to_owned());
    }
    if result.is_error {
        let text = result
            .content
            .first()
            .and_then(|block| block["text"].as_str());
        return Ok(format!("tool error, {}", text.unwrap_or_default()));
    }
    let refund = result.structured_content.ok_or("there is no refund")?;
    Ok(format!("refund {} {}", refund.id, refund.status))
}
