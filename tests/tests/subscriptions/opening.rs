//! The acknowledgement comes first and says what is kept to; what is no filter, or too much, is an error.

use mcp_tests::wire::{Wire, code};
use serde_json::json;

use crate::{
    ACKNOWLEDGED, builder, ended, listen, listening, result_of, server, subscription, tools_changed,
};

#[tokio::test]
async fn the_acknowledgement_comes_first_and_says_what_is_kept_to() {
    let server = server();
    let mut wire = Wire::open(&server);
    let id = wire
        .begin(
            "subscriptions/listen",
            json!({"notifications": {
                "toolsListChanged": true,
                // The server has neither.
                "promptsListChanged": true,
                "resourcesListChanged": true,
                "resourceSubscriptions": ["file:///etc/passwd"],
                "somethingNewer": true,
            }}),
        )
        .await;
    let message = wire.receive().await;
    assert_eq!(message["method"], ACKNOWLEDGED);
    assert_eq!(*subscription(&message), id);
    let kept_to = &message["params"]["notifications"];
    assert_eq!(*kept_to, json!({"toolsListChanged": true}));
}

#[tokio::test]
async fn what_is_declared_is_kept_to() {
    let mut wire = Wire::open(&server());
    let answer = wire.request("server/discover", json!({})).await;
    let capabilities = &answer["result"]["capabilities"];
    assert_eq!(capabilities["tools"], json!({"listChanged": true}));
    // There are none, so their lists never change.
    assert_eq!(capabilities.get("prompts"), None);
    assert_eq!(capabilities.get("resources"), None);
}

/// Specification: basic/patterns/subscriptions, Receiving Notifications: the id as it was, string or number.
#[tokio::test]
async fn an_id_keeps_its_type_and_its_value() {
    let server = server();
    let mut wire = Wire::open(&server);
    let ids = [
        json!("7"),
        json!(7),
        json!(""),
        json!(0),
        json!(-3),
        json!("é\n\"\\"),
        json!(9_007_199_254_740_993_i64),
    ];
    for id in &ids {
        wire.send(&json!({
            "jsonrpc": "2.0",
            "id": id,
            "method": "subscriptions/listen",
            "params": {"_meta": wire.meta, "notifications": {"toolsListChanged": true}},
        }))
        .await;
        let message = wire.receive().await;
        assert_eq!(message["method"], ACKNOWLEDGED);
        assert_eq!(subscription(&message), id);
    }
    server.notify().tools_changed();
    let mut told = Vec::new();
    for _ in &ids {
        told.push(subscription(&wire.receive().await).clone());
    }
    for id in &ids {
        assert_eq!(told.iter().filter(|told| *told == id).count(), 1, "{id}");
    }
    wire.close_input().await;
    let mut ended = Vec::new();
    for _ in &ids {
        let answer = wire.receive().await;
        result_of(&answer, answer["id"].clone());
        ended.push(answer["id"].clone());
        wire.receive().await;
    }
    for id in &ids {
        assert_eq!(ended.iter().filter(|ended| *ended == id).count(), 1, "{id}");
    }
}

/// Field report: a subscription to nothing holds a connection for ever.
#[tokio::test]
async fn where_nothing_is_kept_to_it_ends_at_once() {
    let server = server();
    let mut wire = Wire::open(&server);
    for filter in [
        json!({}),
        json!({"toolsListChanged": false}),
        json!({"promptsListChanged": true, "resourcesListChanged": true}),
        json!({"resourceSubscriptions": ["no:such"]}),
    ] {
        let id = listen(&mut wire, filter).await;
        result_of(&wire.receive().await, id);
        assert_eq!(server.notify().listening(), 0);
    }
}

#[tokio::test]
async fn what_is_no_filter_is_refused() {
    let server = server();
    let mut wire = Wire::open(&server);
    for params in [
        json!({}),
        json!({"notifications": null}),
        json!({"notifications": []}),
        json!({"notifications": {"toolsListChanged": "yes"}}),
        json!({"notifications": {"resourceSubscriptions": "a:b"}}),
        json!({"notifications": {"resourceSubscriptions": [1]}}),
    ] {
        let answer = wire.request("subscriptions/listen", params.clone()).await;
        assert_eq!(code(&answer), -32602, "{params}");
        let text = answer["error"]["message"].as_str().unwrap();
        assert!(text.contains("`notifications`"), "{text}");
    }
    wire.send(&json!({
        "jsonrpc": "2.0",
        "id": 99,
        "method": "subscriptions/listen",
        "params": {"notifications": {"toolsListChanged": true}},
    }))
    .await;
    let answer = wire.receive().await;
    assert_eq!(code(&answer), -32602, "without `_meta`: {answer}");
    assert_eq!(server.notify().listening(), 0);
}

#[tokio::test]
async fn a_request_with_the_id_of_an_open_subscription_is_refused() {
    let server = server();
    let mut wire = Wire::open(&server);
    let id = listen(&mut wire, json!({"toolsListChanged": true})).await;
    for method in ["tools/list", "subscriptions/listen"] {
        wire.send(&json!({
            "jsonrpc": "2.0",
            "id": id,
            "method": method,
            "params": {"_meta": wire.meta, "notifications": {"toolsListChanged": true}},
        }))
        .await;
        let answer = wire.receive().await;
        assert_eq!(code(&answer), -32600);
        // It would be taken for the end of the subscription.
        assert_eq!(answer.get("id"), None);
    }
    server.notify().tools_changed();
    tools_changed(&mut wire, id).await;
}

#[tokio::test]
async fn one_too_many_is_refused_and_says_why() {
    let server = builder().max_subscriptions(2).build().unwrap();
    let (mut one, mut two) = (Wire::open(&server), Wire::open(&server));
    let first = listen(&mut one, json!({"toolsListChanged": true})).await;
    listen(&mut two, json!({"toolsListChanged": true})).await;
    let params = json!({"notifications": {"toolsListChanged": true}});
    let answer = two.request("subscriptions/listen", params.clone()).await;
    assert_eq!(code(&answer), -32603);
    let text = answer["error"]["message"].as_str().unwrap();
    assert!(text.contains("2 subscriptions are open"), "{text}");
    assert!(text.contains("`max_subscriptions`"), "{text}");
    // Neither a subscription to nothing nor a call needs a place.
    let id = listen(&mut two, json!({})).await;
    result_of(&two.receive().await, id);
    two.call("echo", json!({"text": "a"})).await;
    // A place that becomes free can be taken.
    one.cancel(first).await;
    listening(&server, 1).await;
    let third = listen(&mut two, json!({"toolsListChanged": true})).await;
    two.close_input().await;
    loop {
        let message = two.receive().await;
        if message["id"] == third {
            break;
        }
    }
    ended_later(&mut one, &server).await;
}

/// The other connection does not end with the first.
async fn ended_later(wire: &mut Wire, server: &mcp_server::Server) {
    listening(server, 0).await;
    let id = listen(wire, json!({"toolsListChanged": true})).await;
    wire.close_input().await;
    ended(wire, id).await;
}
