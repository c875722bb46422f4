//! The same calls in every revision.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use mcp_client::{CallOptions, Change, Client, HttpTransport, Subscription};
use mcp_core::Revision;
use serde_json::json;
use tokio::time::timeout;

use crate::{PATIENCE, connect, open, until};

#[tokio::test]
async fn calls_reports_and_questions() {
    for revision in Revision::SUPPORTED.iter().copied() {
        let (_server, _work, line) = open(|http| http).await;
        let host = connect(&line, revision).await;
        let client = &host.client;
        assert_eq!(client.list_tools().await.unwrap().len(), 6, "{revision}");

        let sum = client
            .call_tool("add", json!({"a": 1, "b": 2}))
            .await
            .unwrap();
        let said: serde_json::Value = match revision >= Revision::V2025_06_18 {
            true => sum.structured().unwrap(),
            // Structured results came later; the text has the same.
            false => serde_json::from_str(&sum.text()).unwrap(),
        };
        assert_eq!(said, json!({"sum": 3}), "{revision}");

        let seen = Arc::<Mutex<Vec<f64>>>::default();
        let reports = Arc::clone(&seen);
        let options = CallOptions::new()
            .on_progress(move |report| reports.lock().unwrap().push(report.progress));
        let called = client
            .call_tool_with("report", json!({}), options)
            .await
            .unwrap();
        assert_eq!(called.text(), "reported");
        assert_eq!(*seen.lock().unwrap(), [1.0, 2.0], "{revision}");
        until(|| !host.logged.lock().unwrap().is_empty()).await;
        assert_eq!(*host.logged.lock().unwrap(), ["in general"], "{revision}");

        let confirmed = client
            .call_tool("confirm", json!({"what": "it"}))
            .await
            .unwrap();
        match revision >= Revision::V2025_06_18 {
            true => assert_eq!(confirmed.text(), "it: true", "{revision}"),
            // Nobody can be asked there, and that is said.
            false => assert!(confirmed.is_error(), "{revision}"),
        }
        let asked = u32::from(revision >= Revision::V2025_06_18);
        assert_eq!(host.asked.load(Ordering::SeqCst), asked, "{revision}");
        let written = client.call_tool("write_line", json!({})).await.unwrap();
        assert_eq!(written.text(), "Eggs are round", "{revision}");
        let roots = client.call_tool("list_roots", json!({})).await.unwrap();
        assert_eq!(roots.text(), "file:///home", "{revision}");

        client.read_resource("note://7").await.unwrap();
        client.close().await;
    }
}

#[tokio::test]
async fn changes_are_reported() {
    for revision in Revision::SUPPORTED.iter().copied() {
        let (server, _work, line) = open(|http| http).await;
        let host = connect(&line, revision).await;
        let wanted = Subscription::new().tools().resource("note://7");
        let mut changes = host.client.subscribe(wanted).await.unwrap();
        server.notify().resource_updated("note://7");
        server.tools().disable("add").unwrap();
        let mut seen = Vec::new();
        for _ in 0..2 {
            let change = timeout(PATIENCE, changes.next()).await.unwrap();
            seen.push(change.unwrap());
        }
        assert!(seen.contains(&Change::Tools), "{revision}: {seen:?}");
        let updated =
            |change: &Change| matches!(change, Change::Resource(uri) if uri == "note://7");
        assert!(seen.iter().any(updated), "{revision}: {seen:?}");
        assert_eq!(
            host.client.list_tools().await.unwrap().len(),
            5,
            "{revision}"
        );
        host.client.close().await;
    }
}

#[tokio::test]
async fn a_client_that_may_speak_what_it_likes_speaks_todays() {
    let (_server, _work, line) = open(|http| http).await;
    let old = connect(&line, Revision::V2025_03_26).await;
    let transport = HttpTransport::new(line.url());
    let client = Client::builder("host", "1.0.0")
        .connect(transport)
        .await
        .unwrap();
    assert_eq!(client.revision(), Revision::LATEST);
    // Both at the same endpoint at the same time.
    let (today, earlier) = tokio::join!(
        client.call_tool("add", json!({"a": 1, "b": 2})),
        old.client.call_tool("add", json!({"a": 3, "b": 4})),
    );
    assert_eq!(today.unwrap().text(), r#"{"sum":3}"#);
    assert_eq!(earlier.unwrap().text(), r#"{"sum":7}"#);
}

#[tokio::test]
async fn calls_that_are_given_up_end_on_the_server() {
    for revision in Revision::SUPPORTED.iter().copied() {
        let (_server, work, line) = open(|http| http).await;
        let host = connect(&line, revision).await;
        let client = host.client.clone();
        let calling = tokio::spawn(async move { client.call_tool("gated", json!({})).await });
        until(|| work.begun.load(Ordering::SeqCst) == 1).await;
        calling.abort();
        until(|| work.dropped.load(Ordering::SeqCst) == 1).await;
        assert_eq!(work.done.load(Ordering::SeqCst), 0, "{revision}");
    }
}
