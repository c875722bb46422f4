//! Calls that the client drives through all their rounds.

use serde::Deserialize;
use serde_json::json;

use crate::support::{Peer, REASON, RELEASE, accept, host, over_both, runs};

over_both![
    lists_and_discovers,
    automatic_rounds,
    automatic_rounds_on_the_wire
];

async fn lists_and_discovers(peer: Peer) {
    let host = host(&peer, accept).await;
    let info = host.client.server_info().unwrap();
    assert_eq!(
        (info.name.as_str(), info.version.as_str()),
        ("python-peer", "1.0.0")
    );
    let discovered = host.client.discover().await.unwrap();
    assert!(
        discovered
            .supported_versions
            .iter()
            .any(|version| version == "2026-07-28")
    );
    let tools = host.client.list_tools().await.unwrap();
    let mut names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    names.sort_unstable();
    let expected = [
        "body_runs",
        "connect",
        "count",
        "delete_note",
        "poll",
        "purge_note",
        "record_return",
        "sleep",
        "slogan",
    ];
    assert_eq!(names, expected);
    host.client.close().await;
}

async fn automatic_rounds(peer: Peer) {
    let host = host(&peer, accept).await;
    let call = host
        .client
        .call_tool("record_return", json!({"order_id": "O-2289"}))
        .await
        .unwrap();
    assert!(!call.is_error(), "{}", call.text());
    // Two questions, the second made from the first answer.
    assert_eq!(call.rounds, 3);

    #[derive(Debug, PartialEq, Deserialize)]
    struct Receipt {
        order_id: String,
        reason: String,
        parcels: u8,
        released: bool,
    }
    let expected = Receipt {
        order_id: "O-2289".to_owned(),
        reason: "late".to_owned(),
        parcels: 2,
        released: true,
    };
    assert_eq!(call.structured::<Receipt>().unwrap(), expected);

    let asked: Vec<(String, String)> = host
        .asked
        .lock()
        .unwrap()
        .iter()
        .map(|question| (question.key.clone(), question.message.clone()))
        .collect();
    let expected = [
        (REASON, "Why does order O-2289 come back?"),
        (RELEASE, "Release 2 parcels of O-2289 (late)?"),
    ];
    assert_eq!(asked, expected.map(|(k, m)| (k.to_owned(), m.to_owned())));
    assert_eq!(runs(&host.client, "record_return").await, 1);
    host.client.close().await;
}

/// A new id each round, the same arguments, each answer once, and the state of the round before, to the byte.
/// Specification: basic/patterns/mrtr, Client Requirements.
async fn automatic_rounds_on_the_wire(peer: Peer) {
    let host = host(&peer, accept).await;
    host.client
        .call_tool("record_return", json!({"order_id": "O-2289"}))
        .await
        .unwrap();
    let (sent, received) = host.wire.calls();
    assert_eq!((sent.len(), received.len()), (3, 3));

    for round in 0..3 {
        let params = &sent[round]["params"];
        assert_eq!(params["name"], "record_return");
        assert_eq!(params["arguments"], json!({"order_id": "O-2289"}));
        for earlier in &sent[..round] {
            assert_ne!(sent[round]["id"], earlier["id"]);
        }
    }
    let first = sent[0]["params"].as_object().unwrap();
    assert!(!first.contains_key("inputResponses") && !first.contains_key("requestState"));
    for round in 1..3 {
        let asked = &received[round - 1]["result"];
        assert_eq!(asked["resultType"], "input_required");
        assert!(asked["requestState"].is_string());
        assert_eq!(sent[round]["params"]["requestState"], asked["requestState"]);
    }
    assert_eq!(
        sent[1]["params"]["inputResponses"],
        json!({REASON: {"action": "accept", "content": {"reason": "late", "parcels": 2, "note": "ünverpackt"}}})
    );
    assert_eq!(
        sent[2]["params"]["inputResponses"],
        json!({RELEASE: {"action": "accept", "content": {"confirm": true}}})
    );
    host.client.close().await;
}
