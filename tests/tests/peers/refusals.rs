//! States that were tampered with, people who say no, and clients that cannot ask.

use mcp_client::{Error, Kind};
use serde_json::{Value, json};

use crate::support::{
    CONFIRM, Peer, accept, builder, cancel, decline, host, over_both, paused, rpc, runs,
};

over_both![
    tampered_state,
    decline_and_cancel,
    client_without_elicitation
];

async fn tampered_state(peer: Peer) {
    let host = host(&peer, accept).await;
    let session = host.client.session();
    let arguments = json!({"note_id": "n-1"});
    let paused = paused(session.call_tool("delete_note", &arguments).await.unwrap());
    let state = paused.request_state().unwrap();

    let retry = |arguments: &Value, state: Option<&str>| {
        let mut params = json!({
            "name": "delete_note",
            "arguments": arguments,
            "inputResponses": {CONFIRM: {"action": "accept", "content": {"confirm": true}}},
        });
        if let Some(state) = state {
            params["requestState"] = state.into();
        }
        session.request("tools/call", params)
    };
    let refusal = (-32602, "Invalid or expired requestState".to_owned());

    // One character changed, wherever it stands behind the version.
    for position in [3, state.len() / 2, state.len() - 2] {
        let mut bytes = state.clone().into_bytes();
        bytes[position] = if bytes[position] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(bytes).unwrap();
        let refused = retry(&arguments, Some(&changed)).await.unwrap_err();
        assert_eq!(rpc(refused), refusal, "position {position}");
    }
    let refused = retry(&json!({"note_id": "n-2"}), Some(&state)).await;
    assert_eq!(rpc(refused.unwrap_err()), refusal, "other arguments");

    // An answer without state decides nothing: the server asks again.
    let asked = retry(&arguments, None).await.unwrap();
    let asked: Value = serde_json::from_str(asked.get()).unwrap();
    assert_eq!(asked["resultType"], "input_required");
    assert_eq!(runs(&host.client, "delete_note").await, 0);

    let honest = retry(&arguments, Some(&state)).await.unwrap();
    let honest: Value = serde_json::from_str(honest.get()).unwrap();
    assert_eq!(honest["resultType"], "complete");
    assert_eq!(honest["content"][0]["text"], "Deleted note n-1.");
    assert_eq!(runs(&host.client, "delete_note").await, 1);
    host.client.close().await;
}

async fn decline_and_cancel(peer: Peer) {
    for action in ["decline", "cancel"] {
        let answer = if action == "decline" { decline } else { cancel };
        let host = host(&peer, answer).await;
        let kept = host
            .client
            .call_tool("delete_note", json!({"note_id": "n-1"}));
        let kept = kept.await.unwrap();
        assert!(!kept.is_error());
        assert_eq!(kept.text(), format!("Kept note n-1: {action}."));
        let (sent, _) = host.wire.calls();
        assert_eq!(
            sent[1]["params"]["inputResponses"],
            json!({CONFIRM: {"action": action}})
        );

        // A parameter that is the value alone: the call ends with a tool error, and the body never runs.
        let ended = host
            .client
            .call_tool("purge_note", json!({"note_id": "n-1"}));
        let ended = ended.await.unwrap();
        assert!(ended.is_error());
        assert!(ended.text().contains(action), "{}", ended.text());
        assert_eq!(runs(&host.client, "purge_note").await, 0);
        host.client.close().await;
    }
}

async fn client_without_elicitation(peer: Peer) {
    let client = peer.connect(builder()).await;
    // A host for pages only cannot show a form either.
    let urls_only = client.session().declare_only([Kind::Url]);
    let nothing = client.session();
    for session in [nothing, urls_only] {
        let refused = session.call_tool("delete_note", json!({"note_id": "n-1"}));
        let Err(error) = refused.await else {
            panic!("the server asked a client that cannot show a form");
        };
        assert_eq!(error.code(), Some(-32021), "{error}");
        let Error::MissingCapability { required, .. } = error else {
            panic!("expected a missing capability, got {error}");
        };
        assert_eq!(required, json!({"elicitation": {"form": {}}}));
    }
    assert_eq!(runs(&client, "delete_note").await, 0);
    client.close().await;
}
