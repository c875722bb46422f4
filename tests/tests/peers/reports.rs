//! What comes beside a result: progress, log messages, and the end of a call that takes too long.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::protocol::LoggingLevel;
use mcp_client::{CallOptions, Error};
use serde_json::json;

use crate::support::{Peer, builder, over_both, runs};

over_both![progress_and_log, a_timeout_cancels_the_call];

async fn progress_and_log(peer: Peer) {
    let (log, mut logged) = tokio::sync::mpsc::unbounded_channel();
    let client = builder().on_log(LoggingLevel::Info, move |message| {
        log.send(message).unwrap();
    });
    let client = peer.connect(client).await;
    let reported = Arc::new(Mutex::new(Vec::new()));
    let reports = Arc::clone(&reported);
    let options = CallOptions::new().on_progress(move |report| {
        let message = report.message.clone().unwrap_or_default();
        reports
            .lock()
            .unwrap()
            .push((report.progress, report.total, message));
    });
    let call = client.call_tool_with("count", json!({"to": 3}), options);
    assert_eq!(call.await.unwrap().text(), "Counted to 3.");
    let expected = [1.0, 2.0, 3.0].map(|n| (n, Some(3.0), format!("number {n}")));
    assert_eq!(*reported.lock().unwrap(), expected);

    // The log handler runs beside the call. Before this message the server logs one at the debug level, which nobody
    // asked for.
    let first = tokio::time::timeout(Duration::from_secs(20), logged.recv());
    let first = first.await.unwrap().unwrap();
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
    let heard = async {
        while runs(&client, "sleep, cancelled").await == 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), heard)
        .await
        .expect("the server is told that the call is cancelled");
    client.close().await;
}
