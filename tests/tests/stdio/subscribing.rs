//! Subscriptions and the end of the server, with a real child process.

use std::time::{Duration, Instant};

use mcp_tests::wire::{Wire, text};
use serde_json::json;

use crate::launch;

const LISTEN: &str = "subscriptions/listen";

async fn listen(wire: &mut Wire) -> i64 {
    let params = json!({"notifications": {"toolsListChanged": true}});
    let id = wire.begin(LISTEN, params).await;
    let acknowledged = wire.receive().await;
    assert_eq!(
        acknowledged["method"],
        "notifications/subscriptions/acknowledged"
    );
    id
}

/// The result, and behind it the end of the stream, which has none of its own.
async fn assert_ended(wire: &mut Wire, id: i64) {
    let answer = wire.receive().await;
    assert_eq!(answer["id"], id, "{answer}");
    assert_eq!(answer["result"]["resultType"], "complete");
    let end = wire.receive().await;
    assert_eq!(end["method"], "notifications/cancelled");
    assert_eq!(end["params"]["requestId"], id);
}

#[tokio::test]
async fn a_change_is_told_while_the_client_says_nothing() {
    for arguments in [&[][..], &["--timer"][..]] {
        let mut wire = launch(arguments);
        let ids = [listen(&mut wire).await, listen(&mut wire).await];
        let answer = wire.call("change", json!({})).await;
        assert_eq!(text(&answer), "changed");
        // The thread that serves reads; another one writes.
        for _ in ids {
            let told = wire.receive().await;
            assert_eq!(told["method"], "notifications/tools/list_changed");
            let id = &told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
            assert!(ids.contains(&id.as_i64().unwrap()), "{told}");
        }
        wire.cancel(ids[0]).await;
        wire.call("change", json!({})).await;
        let told = wire.receive().await;
        let id = &told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
        assert_eq!(*id, ids[1], "{told}");
        wire.assert_silent(Duration::from_millis(100)).await;
    }
}

#[tokio::test]
async fn the_end_of_the_input_ends_subscriptions_and_does_not_wait_for_them() {
    let mut wire = launch(&["--grace-ms", "600000"]);
    let id = listen(&mut wire).await;
    let begin = Instant::now();
    wire.close_input().await;
    assert_ended(&mut wire, id).await;
    assert_eq!(wire.ended().await.code(), Some(0));
    assert!(begin.elapsed() < Duration::from_secs(15));
}

/// The server ends by itself, although the client keeps its input open, and finishes what it has begun.
#[tokio::test]
async fn a_shutdown_drains() {
    let mut wire = launch(&["--grace-ms", "600000"]);
    let id = listen(&mut wire).await;
    let call = wire
        .begin(
            "tools/call",
            json!({"name": "wait", "arguments": {"ms": 600}}),
        )
        .await;
    wire.call("shut_down", json!({"ms": 100})).await;
    assert_ended(&mut wire, id).await;
    let answer = wire.receive().await;
    assert_eq!(answer["id"], call);
    assert_eq!(text(&answer), "waited for 600");
    assert_eq!(wire.ended().await.code(), Some(0));
    assert_eq!(wire.line().await, None);
}

#[tokio::test]
async fn the_grace_period_bounds_a_shutdown() {
    let mut wire = launch(&["--grace-ms", "300"]);
    wire.begin(
        "tools/call",
        json!({"name": "wait", "arguments": {"ms": 600_000}}),
    )
    .await;
    let begin = Instant::now();
    wire.call("shut_down", json!({"ms": 0})).await;
    assert_eq!(wire.ended().await.code(), Some(0));
    let took = begin.elapsed();
    assert!(took >= Duration::from_millis(250), "{took:?}");
    assert!(took < Duration::from_secs(15), "{took:?}");
}

/// Nothing new is begun once the server shuts down.
#[tokio::test]
async fn what_comes_after_a_shutdown_is_not_begun() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("marked");
    let mut wire = launch(&["--grace-ms", "600000"]);
    let call = wire
        .begin(
            "tools/call",
            json!({"name": "wait", "arguments": {"ms": 800}}),
        )
        .await;
    wire.call("shut_down", json!({"ms": 50})).await;
    tokio::time::sleep(Duration::from_millis(400)).await;
    wire.begin(
        "tools/call",
        json!({"name": "mark", "arguments": {"path": path}}),
    )
    .await;
    assert_eq!(wire.receive().await["id"], call);
    assert_eq!(wire.ended().await.code(), Some(0));
    assert_eq!(wire.line().await, None);
    assert!(!path.exists());
}
