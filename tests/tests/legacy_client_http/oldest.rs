//! The transport of 2024-11-05, HTTP with SSE, where the stream is the session.

use std::sync::atomic::Ordering;

use mcp_core::Revision;
use serde_json::json;
use tokio::time::timeout;

use crate::{PATIENCE, connect, open, until};

#[tokio::test]
async fn a_cut_fails_calls_at_once_and_the_next_one_begins_again() {
    let (_server, work, line) = open(|http| http).await;
    let host = connect(&line, Revision::V2024_11_05).await;
    let client = host.client.clone();
    let calling = tokio::spawn(async move { client.call_tool("gated", json!({})).await });
    until(|| work.begun.load(Ordering::SeqCst) == 1).await;
    line.cut();
    let called = timeout(PATIENCE, calling).await.unwrap().unwrap();
    let error = called.unwrap_err().to_string();
    assert!(error.contains("ended before the answer"), "{error}");
    let sum = host.client.call_tool("add", json!({"a": 1, "b": 2})).await;
    assert_eq!(sum.unwrap().text(), r#"{"sum":3}"#);
}

#[tokio::test]
async fn many_calls_share_the_stream() {
    let (_server, _work, line) = open(|http| http).await;
    let host = connect(&line, Revision::V2024_11_05).await;
    let calls = (0..50).map(|a| {
        let client = host.client.clone();
        tokio::spawn(async move { client.call_tool("add", json!({"a": a, "b": 0})).await })
    });
    for (a, call) in calls.collect::<Vec<_>>().into_iter().enumerate() {
        let sum = call.await.unwrap().unwrap();
        assert_eq!(sum.text(), format!(r#"{{"sum":{a}}}"#));
    }
}
