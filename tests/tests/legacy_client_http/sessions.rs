//! Sessions that end, and begin again.

use std::time::Duration;

use mcp_client::{Change, Subscription};
use mcp_core::Revision;
use serde_json::json;
use tokio::time::{sleep, timeout};

use crate::{PATIENCE, connect, open, serve, server};

#[tokio::test]
async fn a_session_that_gave_way_to_another_begins_again() {
    for revision in Revision::LEGACY.iter().copied() {
        let (_server, _work, line) = open(|http| http.max_sessions(1)).await;
        let first = connect(&line, revision).await;
        let second = connect(&line, revision).await;
        for host in [&first, &second, &first] {
            let sum = host
                .client
                .call_tool("add", json!({"a": 1, "b": 2}))
                .await
                .unwrap();
            assert!(sum.text().contains('3'), "{revision}");
        }
        first.client.close().await;
        // There is room without it.
        connect(&line, revision).await;
    }
}

#[tokio::test]
async fn a_server_that_was_started_again_is_met_again() {
    for revision in Revision::LEGACY.iter().copied() {
        let (_server, _work, line) = open(|http| http).await;
        let host = connect(&line, revision).await;
        let wanted = Subscription::new().resource("note://7");
        let mut changes = host.client.subscribe(wanted).await.unwrap();
        let (other, _work) = server();
        line.lead_to(serve(&other, |http| http).await);
        // What was wanted is wanted again: the client hears of the end by itself.
        let told = async {
            loop {
                other.notify().resource_updated("note://7");
                sleep(Duration::from_millis(50)).await;
            }
        };
        let change = tokio::select! {
            change = timeout(PATIENCE, changes.next()) => change.unwrap(),
            () = told => None,
        };
        assert!(
            matches!(&change, Some(Change::Resource(uri)) if uri == "note://7"),
            "{revision}: {change:?} {:?}",
            changes.end()
        );
        // So is the level of what is logged.
        host.client.call_tool("report", json!({})).await.unwrap();
        crate::until(|| !host.logged.lock().unwrap().is_empty()).await;
        assert_eq!(*host.logged.lock().unwrap(), ["in general"], "{revision}");
    }
}

#[tokio::test]
async fn calls_side_by_side_begin_one_session() {
    let (_server, _work, line) = open(|http| http).await;
    let host = connect(&line, Revision::V2025_11_25).await;
    let (other, _work) = server();
    // With more than one session the first of two new ones would have to go.
    line.lead_to(serve(&other, |http| http.max_sessions(1)).await);
    // Connections that are being closed are not what this is about.
    sleep(Duration::from_millis(100)).await;
    let calls = (0..8).map(|a| {
        let client = host.client.clone();
        tokio::spawn(async move { client.call_tool("add", json!({"a": a, "b": 0})).await })
    });
    for call in calls.collect::<Vec<_>>() {
        call.await.unwrap().unwrap();
    }
}
