//! What has claimed something is waited for, and its claim ends: whoever leaves, drops it or gets in its way.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use mcp_server::prelude::*;
use mcp_server::testing::BodyCount;
use mcp_server::{Builder, CallLayer, LayerFuture, Next};
use mcp_tests::wire::{Wire, code, text, tool_error};
use serde_json::json;

use crate::support::Gate;

/// Refunds an order once, when the test lets it.
#[tool(once = order)]
async fn refund(order: String, gate: State<Gate>) -> String {
    gate.pass().await;
    format!("{order} refunded")
}

/// Ships an order once.
#[tool(once = order)]
async fn ship(order: String) -> String {
    format!("{order} shipped")
}

fn bank(gate: &Arc<Gate>) -> Builder {
    Server::builder("bank", "1.0.0")
        .shared_state(gate.clone())
        .tools(tools![refund, ship])
        .drain_grace(Duration::from_millis(20))
}

/// A connection with a refund under way.
async fn refunding(server: &Server, gate: &Gate) -> Wire {
    let mut wire = Wire::open(server);
    let params = json!({"name": "refund", "arguments": {"order": "O-1"}});
    wire.begin("tools/call", params).await;
    gate.begun().await;
    wire
}

/// A program that ends when serving does must not cut an effect off.
#[tokio::test]
async fn serving_goes_on_for_a_claimed_body_after_the_client_has_gone() {
    for meets_it_while_writing in [false, true] {
        let gate = Gate::new();
        let server = bank(&gate).build().unwrap();
        let mut wire = refunding(&server, &gate).await;
        wire.close_output();
        if meets_it_while_writing {
            wire.begin("server/discover", json!({})).await;
        } else {
            wire.close_input().await;
        }
        let served = tokio::spawn(wire.served());
        tokio::time::sleep(Duration::from_millis(150)).await;
        assert!(!served.is_finished(), "{meets_it_while_writing}");
        assert_eq!(gate.finished.get(), 0);
        gate.go_on.notify_one();
        served.await.unwrap().unwrap();
        assert_eq!(gate.finished.get(), 1, "{meets_it_while_writing}");
    }
}

#[tokio::test]
async fn the_claimed_grace_period_is_the_end_of_that() {
    let gate = Gate::new();
    let server = bank(&gate)
        .claimed_grace(Duration::from_millis(100))
        .build()
        .unwrap();
    let mut wire = refunding(&server, &gate).await;
    let begin = Instant::now();
    wire.close_input().await;
    wire.served().await.unwrap();
    assert!(begin.elapsed() >= Duration::from_millis(100));
    assert_eq!(gate.finished.get(), 0);
}

/// It is refused before it runs, so it claims nothing; and the call that has the id is not touched. The error carries no
/// id: the client would take it for the answer of the other one.
#[tokio::test]
async fn a_request_whose_id_is_in_use_does_nothing() {
    let (gate, bodies) = (Gate::new(), BodyCount::new());
    let server = bank(&gate).layer(bodies.clone()).build().unwrap();
    let mut wire = Wire::open(&server);
    let request = |id: serde_json::Value, tool: &str, meta: &serde_json::Value| {
        let params = json!({"name": tool, "arguments": {"order": "O-1"}, "_meta": meta});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
    };
    let meta = wire.meta.clone();
    wire.send(&request(json!(7), "refund", &meta)).await;
    gate.begun().await;
    for _ in 0..2 {
        wire.send(&request(json!(7), "ship", &meta)).await;
        let refused = wire.receive().await;
        assert_eq!(code(&refused), -32600);
        assert_eq!(refused.get("id"), None, "{refused}");
    }
    bodies.assert_ran("ship", 0);
    // Text and number are two ids.
    wire.send(&request(json!("7"), "ship", &meta)).await;
    let shipped = wire.receive().await;
    assert_eq!(shipped["id"], "7");
    assert_eq!(text(&shipped), "O-1 shipped");
    gate.go_on.notify_one();
    let refunded = wire.receive().await;
    assert_eq!(refunded["id"], 7);
    assert_eq!(text(&refunded), "O-1 refunded");
    // The id is free again.
    wire.send(&request(json!(7), "ship", &meta)).await;
    let again = wire.receive().await;
    assert_eq!(again["id"], 7);
    assert!(tool_error(&again).contains("already done"), "{again}");
    bodies.assert_ran("refund", 1);
}

/// Drops what takes too long, claimed or not, as a layer of somebody else's may.
struct Hasty;

impl CallLayer for Hasty {
    fn call<'a>(&'a self, ctx: Context, next: Next<'a>) -> LayerFuture<'a> {
        Box::pin(async move {
            let limit = Duration::from_millis(50);
            match tokio::time::timeout(limit, next.run(ctx)).await {
                Ok(result) => result,
                Err(_) => Err(ToolError::new("too slow").into()),
            }
        })
    }
}

/// Nobody knows what the body has done: the claim is kept as that of a call that failed, not of one that runs for ever.
#[tokio::test]
async fn a_layer_that_drops_a_claimed_call_ends_its_claim() {
    let (gate, bodies) = (Gate::new(), BodyCount::new());
    let server = bank(&gate)
        .layer(Hasty)
        .layer(bodies.clone())
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    let order = json!({"order": "O-1"});
    let dropped = wire.call("refund", order.clone()).await;
    assert_eq!(tool_error(&dropped), "too slow");
    // The guard is told in a task of its own.
    for attempt in 0.. {
        let again = wire.call("refund", order.clone()).await;
        let error = tool_error(&again);
        if error.contains("failed") {
            break;
        }
        assert!(error.contains("still running"), "{error}");
        assert!(attempt < 100, "the claim does not end");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    bodies.assert_ran("refund", 1);
    assert_eq!(gate.finished.get(), 0);
}
