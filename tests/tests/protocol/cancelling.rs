//! What becomes of work whose client has given it up.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use mcp_server::prelude::*;
use mcp_tests::{
    wire::{Wire, text, tool_error},
    work::{Guard, Work, forever, reached, spin},
};
use serde_json::json;

/// Reports, and would go on at once.
#[tool]
async fn eager(work: State<Work>, ctx: Context) -> String {
    let _guard = Guard(&work);
    ctx.progress(1.0);
    tokio::task::yield_now().await;
    work.done.fetch_add(1, Ordering::SeqCst);
    "went on".to_owned()
}

/// Waits for ever, and panics when it is dropped.
#[tool]
async fn falls(work: State<Work>) -> String {
    struct Falls<'a>(Guard<'a>);
    impl Drop for Falls<'_> {
        fn drop(&mut self) {
            panic!("at /srv/secret")
        }
    }
    let _falls = Falls(Guard(&work));
    std::future::pending().await
}

/// Likewise, with a limit.
#[tool(timeout = "60ms")]
fn spin_briefly(work: State<Work>, ctx: Context) -> String {
    spin(work, ctx)
}

fn server() -> (Server, Arc<Work>) {
    let work = Arc::new(Work::default());
    let server = Server::builder("shop", "1.0.0")
        .shared_state(work.clone())
        .tools(tools![forever, eager, falls, spin, spin_briefly])
        .drain_grace(Duration::from_millis(100))
        .build()
        .unwrap();
    (server, work)
}

#[tokio::test]
async fn a_cancel_drops_a_body_where_it_waits_and_tells_one_that_works() {
    let (server, work) = server();
    let mut wire = Wire::open(&server);
    let id = wire.begin("tools/call", json!({"name": "forever"})).await;
    reached(&work.begun, 1).await;
    wire.cancel(id).await;
    reached(&work.dropped, 1).await;
    let id = wire.begin("tools/call", json!({"name": "spin"})).await;
    reached(&work.begun, 2).await;
    wire.cancel(id).await;
    reached(&work.done, 1).await;
    wire.assert_silent(Duration::from_millis(100)).await;
}

#[tokio::test]
async fn a_client_that_goes_ends_its_calls_after_the_grace_period() {
    let (server, work) = server();
    let mut wire = Wire::open(&server);
    wire.begin("tools/call", json!({"name": "forever"})).await;
    wire.begin("tools/call", json!({"name": "spin"})).await;
    reached(&work.begun, 2).await;
    drop(wire);
    reached(&work.dropped, 1).await;
    reached(&work.done, 1).await;
}

#[tokio::test]
async fn a_time_limit_tells_work_on_another_thread() {
    let (server, work) = server();
    let mut wire = Wire::open(&server);
    let answer = wire.call("spin_briefly", json!({})).await;
    assert!(tool_error(&answer).contains("longer than 60ms"), "{answer}");
    reached(&work.done, 1).await;
}

/// The other calls of a connection go on.
#[tokio::test]
async fn a_cancel_is_for_one_call() {
    let (server, work) = server();
    let mut wire = Wire::open(&server);
    let one = wire.begin("tools/call", json!({"name": "spin"})).await;
    let two = wire.begin("tools/call", json!({"name": "forever"})).await;
    reached(&work.begun, 2).await;
    wire.cancel(two).await;
    reached(&work.dropped, 1).await;
    assert_eq!(work.done.load(Ordering::SeqCst), 0);
    let discovered = wire.request("server/discover", json!({})).await;
    assert_eq!(discovered["result"]["resultType"], "complete");
    wire.cancel(one).await;
    reached(&work.done, 1).await;
    let three = wire
        .begin("tools/call", json!({"name": "spin_briefly"}))
        .await;
    let answer = wire.receive().await;
    assert_eq!(answer["id"], three);
    assert!(!text(&answer).is_empty());
}

/// A call and its cancellation that come together: the body does not go on, and what it has sent is not heard of. What
/// another call has sent is.
#[tokio::test]
async fn a_call_whose_cancel_was_read_neither_goes_on_nor_says_anything() {
    let (server, work) = server();
    let mut wire = Wire::open(&server);
    let mut lines = String::new();
    for id in ["given up", "wanted"] {
        let mut meta = wire.meta.clone();
        meta["progressToken"] = json!(id);
        let params = json!({"name": "eager", "_meta": meta});
        let request = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        lines.push_str(&format!("{request}\n"));
    }
    let params = json!({"requestId": "given up"});
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
    lines.push_str(&format!("{cancel}\n"));
    // One write, so that all of it is read before anything can be written.
    wire.write(lines.as_bytes()).await;
    let progress = wire.receive().await;
    assert_eq!(progress["params"]["progressToken"], "wanted", "{progress}");
    let answer = wire.receive().await;
    assert_eq!(answer["id"], "wanted");
    assert_eq!(text(&answer), "went on");
    reached(&work.dropped, 2).await;
    assert_eq!(work.done.load(Ordering::SeqCst), 1);
    wire.assert_silent(Duration::from_millis(100)).await;
}

/// A panic where a call is dropped costs nobody else anything, and the connection still work.
#[tokio::test]
async fn a_call_that_panics_when_it_is_dropped_is_gone_all_the_same() {
    let (server, work) = server();
    let mut wire = Wire::open(&server);
    let id = wire.begin("tools/call", json!({"name": "falls"})).await;
    wire.cancel(id).await;
    reached(&work.dropped, 1).await;
    let answer = wire.call("eager", json!({})).await;
    assert_eq!(text(&answer), "went on");
    wire.close_input().await;
    wire.served().await.unwrap();
}
