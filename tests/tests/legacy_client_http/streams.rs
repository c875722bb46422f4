//! Streams that break off or are ended, and go on.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::{Answer, CallOptions, Change, Client, HttpTransport, Subscription};
use mcp_core::Revision;
use serde_json::json;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use crate::{PATIENCE, connect, open, until};

/// Those whose streams can be taken up again.
const RESUMABLE: [Revision; 3] = [
    Revision::V2025_03_26,
    Revision::V2025_06_18,
    Revision::V2025_11_25,
];

#[tokio::test]
async fn a_call_survives_the_connection_that_it_was_made_on() {
    for revision in RESUMABLE {
        let (_server, work, line) = open(|http| http).await;
        let host = connect(&line, revision).await;
        let seen = Arc::<Mutex<Vec<f64>>>::default();
        let reports = Arc::clone(&seen);
        let options = CallOptions::new()
            .on_progress(move |report| reports.lock().unwrap().push(report.progress));
        let client = host.client.clone();
        let calling =
            tokio::spawn(async move { client.call_tool_with("gated", json!({}), options).await });
        until(|| !seen.lock().unwrap().is_empty()).await;
        line.cut();
        work.gate.notify_one();
        let called = timeout(PATIENCE, calling).await.unwrap().unwrap();
        assert_eq!(called.unwrap().text(), "through the gate", "{revision}");
        assert_eq!(*seen.lock().unwrap(), [1.0, 2.0], "{revision}");
        // Once, however often it was asked for.
        assert_eq!(work.begun.load(Ordering::SeqCst), 1, "{revision}");
    }
}

#[tokio::test]
async fn a_call_goes_on_over_connections_that_the_server_ends() {
    let (_server, work, line) =
        open(|http| http.close_streams_after(Duration::from_millis(50))).await;
    let host = connect(&line, Revision::V2025_11_25).await;
    let client = host.client.clone();
    let calling = tokio::spawn(async move { client.call_tool("gated", json!({})).await });
    until(|| work.begun.load(Ordering::SeqCst) == 1).await;
    tokio::time::sleep(Duration::from_millis(2500)).await;
    assert!(!calling.is_finished());
    work.gate.notify_one();
    let called = timeout(PATIENCE, calling).await.unwrap().unwrap();
    assert_eq!(called.unwrap().text(), "through the gate");
    // And so do questions.
    let confirmed = host
        .client
        .call_tool("confirm", json!({"what": "it"}))
        .await
        .unwrap();
    assert_eq!(confirmed.text(), "it: true");
}

#[tokio::test]
async fn so_does_a_question_that_somebody_thinks_about() {
    for revision in [Revision::V2025_06_18, Revision::V2025_11_25] {
        let (_server, _work, line) = open(|http| http).await;
        let (ask, mut asked) = mpsc::unbounded_channel();
        let (decide, decided) = watch::channel(false);
        let client = Client::builder("host", "1.0.0")
            .revision(revision)
            .on_form(move |question| {
                ask.send(question.message).unwrap();
                let mut decided = decided.clone();
                async move {
                    decided.wait_for(|decided| *decided).await?;
                    Ok(Answer::accept(json!({"confirm": true}))?)
                }
            })
            .connect(HttpTransport::new(line.url()))
            .await
            .unwrap();
        let calls = client.clone();
        let calling =
            tokio::spawn(async move { calls.call_tool("confirm", json!({"what": "it"})).await });
        let question = timeout(PATIENCE, asked.recv()).await.unwrap();
        assert_eq!(question.unwrap(), "Go on with it?");
        line.cut();
        decide.send(true).unwrap();
        let called = timeout(PATIENCE, calling).await.unwrap().unwrap();
        assert_eq!(called.unwrap().text(), "it: true", "{revision}");
        // Nobody was asked again.
        assert!(asked.try_recv().is_err(), "{revision}");
    }
}

#[tokio::test]
async fn changes_are_heard_after_a_cut() {
    for revision in RESUMABLE {
        let (server, _work, line) = open(|http| http).await;
        let host = connect(&line, revision).await;
        let wanted = Subscription::new().resource("note://7");
        let mut changes = host.client.subscribe(wanted).await.unwrap();
        server.notify().resource_updated("note://7");
        timeout(PATIENCE, changes.next()).await.unwrap().unwrap();
        line.cut();
        // Said while nobody listens, it is not lost.
        server.notify().resource_updated("note://7");
        let change = timeout(PATIENCE, changes.next()).await.unwrap().unwrap();
        assert!(
            matches!(change, Change::Resource(uri) if uri == "note://7"),
            "{revision}"
        );
    }
}
