//! Batches, which revision 2025-03-26 has.

use serde_json::{Value, json};

use crate::{
    old::{ALL, Old, call, initialize, open, request, text},
    reached,
};

const WITH: &str = "2025-03-26";

#[tokio::test]
async fn a_batch_that_is_answered_at_once_is_an_array() {
    let (site, _) = open().await;
    let client = Old::begin(&site, WITH).await;
    let quiet = json!({"jsonrpc": "2.0", "method": "notifications/whatever"});
    let batch = json!([
        request(1, "ping", json!({})),
        quiet,
        call(2, "echo", json!({"text": "x"})),
        request(3, "nothing", json!({})),
        initialize(WITH),
    ]);
    let response = client.send(&batch).await;
    assert_eq!(response.head.status, 200);
    let answers: Vec<Value> = serde_json::from_str(&response.body).unwrap();
    assert_eq!(answers[0], json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
    assert_eq!(text(&answers[1]), "x");
    assert_eq!(answers[2]["error"]["code"], -32601);
    assert_eq!(
        (&answers[3]["id"], &answers[3]["error"]["code"]),
        (&json!(0), &json!(-32600))
    );
    assert_eq!(answers.len(), 4);
    // Nothing in it wants an answer.
    let response = client.send(&json!([quiet, quiet])).await;
    assert_eq!((response.head.status, &*response.body), (202, ""));
}

#[tokio::test]
async fn the_answers_of_a_batch_that_waits_come_on_one_stream() {
    let (site, work) = open().await;
    let client = Old::begin(&site, WITH).await;
    let batch = json!([
        call(1, "silent", json!({})),
        request(2, "ping", json!({})),
        call(3, "silent", json!({})),
    ]);
    let mut events = client.stream(&batch).await;
    let (_, first) = events.message().await;
    assert_eq!(first["id"], 2);
    reached(&work.begun, 2).await;
    work.gate.notify_waiters();
    let mut ids = Vec::new();
    for _ in 0..2 {
        let (_, answer) = events.message().await;
        assert_eq!(text(&answer), "said at last");
        ids.push(answer["id"].as_i64().unwrap());
    }
    ids.sort_unstable();
    assert_eq!(ids, [1, 3]);
    assert_eq!(events.next().await, None);
    // For a client that takes no stream they are an array, too.
    let mut connection = site.connect().await;
    connection
        .send(&client.post(&batch).with("Accept", "application/json"))
        .await;
    reached(&work.begun, 4).await;
    work.gate.notify_waiters();
    let answers: Vec<Value> = serde_json::from_str(&connection.response().await.body).unwrap();
    assert_eq!(answers.len(), 3);
}

#[tokio::test]
async fn other_revisions_have_none() {
    let (site, _) = open().await;
    for revision in ALL {
        let client = Old::begin(&site, revision).await;
        let response = client.send(&json!([])).await;
        assert_eq!(response.head.status, 400, "{revision}");
        let is_told = response.body.contains("at least one message");
        assert_eq!(is_told, revision == WITH, "{revision}: {}", response.body);
        let batch = json!([request(1, "ping", json!({}))]);
        let status = client.send(&batch).await.head.status;
        assert_eq!(
            status,
            if revision == WITH { 200 } else { 400 },
            "{revision}"
        );
    }
    let client = Old::begin(&site, WITH).await;
    let many = Value::from(vec![request(1, "ping", json!({})); 257]);
    assert_eq!(client.send(&many).await.head.status, 413);
}

/// What ends requests gets through, although no further one may begin.
#[tokio::test]
async fn a_batch_of_cancellations_is_taken_when_all_is_full() {
    let (site, work) = open().await;
    let client = Old::begin(&site, WITH).await;
    let calls: Vec<_> = (0..256).map(|id| call(id, "silent", json!({}))).collect();
    drop(client.stream(&calls.into()).await);
    reached(&work.begun, 256).await;
    let full = client.send(&json!([request(999, "ping", json!({}))])).await;
    assert_eq!(full.head.status, 429);
    let cancel = |id| json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
    let response = client.send(&json!([cancel(0), cancel(1)])).await;
    assert_eq!(response.head.status, 202);
    reached(&work.dropped, 2).await;
    let response = client.send(&json!([request(999, "ping", json!({}))])).await;
    assert_eq!(response.head.status, 200);
}
