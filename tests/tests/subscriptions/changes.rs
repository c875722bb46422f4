//! Changes reach those who asked for them, once for many, and none is lost.

use std::time::Duration;

use mcp_tests::wire::{Wire, text};
use serde_json::json;

use crate::{TOOLS_CHANGED, listen, server, subscription, tools_changed};

/// Long enough for changes to be told, where there are any.
const QUIET: Duration = Duration::from_millis(100);

/// Field report: two hundred notices made two hundred fetches.
#[tokio::test]
async fn two_hundred_changes_at_once_are_told_once() {
    let server = server();
    let mut wire = Wire::open(&server);
    let id = listen(&mut wire, json!({"toolsListChanged": true})).await;
    let notify = server.notify();
    for _ in 0..200 {
        notify.tools_changed();
    }
    tools_changed(&mut wire, id).await;
    tokio::time::sleep(QUIET).await;
    // The next message is an answer, or one more notice where the loop was interrupted: never two hundred.
    wire.begin("tools/list", json!({})).await;
    let mut more = 0;
    while wire.receive().await["method"] == TOOLS_CHANGED {
        more += 1;
    }
    assert!(more <= 3, "{more} more");
}

/// Field report: a throttle lost the last change.
#[tokio::test]
async fn a_change_after_one_that_was_told_is_told() {
    let server = server();
    let mut wire = Wire::open(&server);
    let id = listen(&mut wire, json!({"toolsListChanged": true})).await;
    for _ in 0..5 {
        server.notify().tools_changed();
        tools_changed(&mut wire, id).await;
    }
}

#[tokio::test]
async fn what_nobody_asked_for_is_not_sent() {
    let server = server();
    let mut wire = Wire::open(&server);
    let id = listen(&mut wire, json!({"toolsListChanged": true})).await;
    server.notify().prompts_changed();
    server.notify().resources_changed();
    server.notify().resource_updated("a:1");
    tokio::time::sleep(QUIET).await;
    let answer = wire.call("echo", json!({"text": "next"})).await;
    assert_eq!(text(&answer), "next");
    server.notify().tools_changed();
    tools_changed(&mut wire, id).await;
}

#[tokio::test]
async fn several_on_one_connection_are_told_apart() {
    let server = server();
    let mut wire = Wire::open(&server);
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(listen(&mut wire, json!({"toolsListChanged": true})).await);
    }
    server.notify().tools_changed();
    let mut told = Vec::new();
    for _ in &ids {
        let message = wire.receive().await;
        assert_eq!(message["method"], TOOLS_CHANGED);
        told.push(subscription(&message).as_i64().unwrap());
    }
    told.sort_unstable();
    assert_eq!(told, ids);
}

/// From wherever the change is seen: threads without a run time, run times without timers, run times that end.
#[test]
fn any_thread_may_notify() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let server = server();
    let mut wire = runtime.block_on(async { Wire::open(&server) });
    let id = runtime.block_on(listen(&mut wire, json!({"toolsListChanged": true})));
    // Outside of every run time.
    server.notify().tools_changed();
    runtime.block_on(tools_changed(&mut wire, id));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let bare = tokio::runtime::Builder::new_current_thread()
                .build()
                .unwrap();
            bare.block_on(async { server.notify().tools_changed() });
        });
    });
    runtime.block_on(tools_changed(&mut wire, id));
}

/// A client that does not read hears of the change when it does, and nobody else waits for it.
#[tokio::test]
async fn a_client_that_does_not_read_loses_nothing() {
    const CALLS: usize = 80;
    let server = server();
    let (mut slow, mut other) = (Wire::open(&server), Wire::open(&server));
    let id = listen(&mut slow, json!({"toolsListChanged": true})).await;
    let others = listen(&mut other, json!({"toolsListChanged": true})).await;
    // More answers than the stream and the server's own buffers hold.
    let large = "x".repeat(60 * 1024);
    let calls = async {
        for _ in 0..CALLS {
            slow.begin(
                "tools/call",
                json!({"name": "echo", "arguments": {"text": large}}),
            )
            .await;
        }
    };
    // The server does not read for ever what is not read from it.
    let _ = tokio::time::timeout(Duration::from_millis(500), calls).await;
    for _ in 0..10 {
        server.notify().tools_changed();
        tools_changed(&mut other, others).await;
    }
    let told = async { while subscription(&slow.receive().await) != id {} };
    tokio::time::timeout(Duration::from_secs(10), told)
        .await
        .expect("the change was lost");
}

#[tokio::test]
async fn a_call_under_way_and_a_subscription_do_not_disturb_each_other() {
    let server = server();
    let mut wire = Wire::open(&server);
    let id = listen(&mut wire, json!({"toolsListChanged": true})).await;
    let call = wire
        .begin(
            "tools/call",
            json!({"name": "wait", "arguments": {"ms": 300}}),
        )
        .await;
    server.notify().tools_changed();
    tools_changed(&mut wire, id).await;
    let answer = wire.receive().await;
    assert_eq!(answer["id"], call);
    assert_eq!(text(&answer), "waited for 300");
}
