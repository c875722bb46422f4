//! What comes beside results: progress, log messages, changes; and calls that are given up or cut off.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::protocol::LoggingLevel;
use mcp_client::{CallOptions, Change, Changes, Client, Error, Subscription};
use serde_json::json;
use tokio::time::timeout;

use crate::support::{PATIENCE, Peer, builder, over_all, over_sse, until_run, with_roots};

over_all![
    progress_and_log,
    a_timeout_cancels_the_call,
    changes_of_lists_and_resources,
    roots_that_change,
    a_stream_that_the_server_closes,
];
over_sse![
    progress_and_log,
    a_timeout_cancels_the_call,
    changes_of_lists_and_resources,
    roots_that_change,
];

async fn progress_and_log(peer: Peer) {
    let (log, mut logged) = tokio::sync::mpsc::unbounded_channel();
    let client = builder().on_log(LoggingLevel::Info, move |message| {
        let _ = log.send(message);
    });
    let client = peer.connect(client).await;
    let reported = Arc::new(Mutex::new(Vec::new()));
    let reports = Arc::clone(&reported);
    let options = CallOptions::new().on_progress(move |report| {
        let message = report.message.clone().unwrap_or_default();
        let mut reports = reports.lock().unwrap();
        reports.push((report.progress, report.total, message));
    });
    let call = client.call_tool_with("count", json!({"to": 3}), options);
    assert_eq!(call.await.unwrap().text(), "Counted to 3.");
    let expected = [1.0, 2.0, 3.0].map(|n| (n, Some(3.0), format!("number {n}")));
    assert_eq!(*reported.lock().unwrap(), expected);

    // Before this message the server logs one at the debug level, below the one that was set.
    let first = timeout(PATIENCE, logged.recv()).await.unwrap().unwrap();
    assert_eq!(first.level, LoggingLevel::Warning);
    assert_eq!(first.data, json!("counting to 3"));
    client.close().await;
}

async fn a_timeout_cancels_the_call(peer: Peer) {
    let client = peer.connect(builder()).await;
    let patience = Duration::from_millis(500);
    let options = CallOptions::new().request_timeout(patience);
    let call = client.call_tool_with("sleep", json!({}), options).await;
    assert!(
        matches!(call, Err(Error::Timeout { after, .. }) if after == patience),
        "{call:?}"
    );
    // The server hears of it, and goes on serving.
    until_run(&client, "sleep, cancelled", 1).await;
    client.close().await;
}

async fn changes_of_lists_and_resources(peer: Peer) {
    let client = peer.connect(builder()).await;
    let wanted = Subscription::new()
        .tools()
        .prompts()
        .resources()
        .resource("note://n-1");
    let mut changes = client.subscribe(wanted).await.unwrap();
    assert_eq!(changes.honoured().tools_list_changed, Some(true));
    for (what, expected) in [
        ("tools", Change::Tools),
        ("prompts", Change::Prompts),
        ("resources", Change::Resources),
        ("note", Change::Resource("note://n-1".to_owned())),
    ] {
        assert_eq!(changed(&client, &mut changes, what).await, expected);
    }
    // Nobody is subscribed to the note any more.
    drop(changes);
    let mut changes = client.subscribe(Subscription::new().tools()).await.unwrap();
    client
        .call_tool("change", json!({"what": "note"}))
        .await
        .unwrap();
    assert_eq!(changed(&client, &mut changes, "tools").await, Change::Tools);
    client.close().await;
}

/// What is heard of a change. Over HTTP the server drops what it tells before the stream is there, so it may have to
/// tell it again.
async fn changed(client: &Client, changes: &mut Changes, what: &str) -> Change {
    let heard = async {
        loop {
            client
                .call_tool("change", json!({ "what": what }))
                .await
                .unwrap();
            if let Ok(change) = timeout(Duration::from_secs(2), changes.next()).await {
                return change.unwrap();
            }
        }
    };
    timeout(PATIENCE, heard).await.unwrap()
}

async fn roots_that_change(peer: Peer) {
    let client = peer.connect(with_roots(builder())).await;
    client.roots_changed();
    until_run(&client, "roots changed", 1).await;
    client.close().await;
}

/// Over HTTP the stream of the call ends before the result, which comes on the one that the client goes on with.
async fn a_stream_that_the_server_closes(peer: Peer) {
    let client = peer.connect(builder()).await;
    let call = client.call_tool("reconnect", json!({}));
    let call = timeout(PATIENCE, call).await.unwrap().unwrap();
    assert_eq!(call.text(), "Here again.");
    client.close().await;
}
