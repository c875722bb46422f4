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

/// Work that was given up before a thread was free for it is never begun.
#[tokio::test]
async fn a_blocking_tool_that_is_cancelled_while_it_waits_for_a_thread_does_not_run() {
    const THREADS: usize = 128;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let mut wire = launch(&[]);
    let block = json!({"name": "block_until", "arguments": {"path": path("go")}});
    for _ in 0..THREADS {
        wire.begin("tools/call", block.clone()).await;
    }
    let mark = |name: &str| json!({"name": "mark", "arguments": {"path": path(name)}});
    let given_up = wire.begin("tools/call", mark("given up")).await;
    wire.begin("tools/call", mark("wanted")).await;
    wire.cancel(given_up).await;
    // An answer that took a turn of the run time shows that the cancellation was seen.
    let waited = wire.call("wait", json!({"ms": 50})).await;
    assert_eq!(text(&waited), "waited for 50");
    assert!(!path("wanted").exists(), "a thread was free");
    std::fs::write(path("go"), "").unwrap();
    for _ in 0..=THREADS {
        let answer = wire.receive().await;
        assert_ne!(answer["id"], given_up);
        assert!(["let go", "marked"].contains(&text(&answer)), "{answer}");
    }
    assert!(path("wanted").exists());
    assert!(!path("given up").exists(), "the cancelled tool has run");
}
