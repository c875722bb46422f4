//! A tool that blocks its thread does not block the server, although that runs on one.

use std::time::{Duration, Instant};

use mcp_tests::wire::text;
use serde_json::json;

use crate::launch;

#[tokio::test]
async fn blocking_tools_overlap_while_discover_and_cancel_are_served() {
    let mut wire = launch(&[]);
    assert_eq!(text(&wire.call("echo", json!({"text": "up"})).await), "up");
    let begin = Instant::now();
    let block = json!({"name": "block", "arguments": {"ms": 2500}});
    let one = wire.begin("tools/call", block.clone()).await;
    let two = wire.begin("tools/call", block.clone()).await;
    let cancelled = wire.begin("tools/call", block).await;
    let discovered = wire.request("server/discover", json!({})).await;
    assert_eq!(discovered["result"]["resultType"], "complete");
    assert!(
        begin.elapsed() < Duration::from_millis(1500),
        "{:?}",
        begin.elapsed()
    );
    wire.cancel(cancelled).await;
    let mut answered = Vec::new();
    for _ in 0..2 {
        let answer = wire.receive().await;
        assert_eq!(text(&answer), "blocked for 2500");
        answered.push(answer["id"].as_i64().unwrap());
    }
    answered.sort_unstable();
    assert_eq!(answered, [one, two]);
    assert!(
        begin.elapsed() < Duration::from_millis(4500),
        "{:?}",
        begin.elapsed()
    );
    wire.assert_silent(Duration::from_millis(300)).await;
}

#[tokio::test]
async fn a_panic_costs_one_call() {
    let mut wire = launch(&[]);
    let failed = wire.call("panic", json!({})).await;
    assert_eq!(failed["result"]["isError"], true);
    assert!(!failed.to_string().contains("/srv"), "{failed}");
    assert_eq!(text(&wire.call("echo", json!({"text": "on"})).await), "on");
}
