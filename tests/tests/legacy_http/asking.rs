//! Questions on the stream of the call that asks.

use serde_json::json;

use crate::old::{NEWEST, Old, call, open, text};

#[tokio::test]
async fn a_question_goes_out_on_the_stream_of_its_call() {
    let (site, _) = open().await;
    for revision in ["2025-06-18", NEWEST] {
        let client = Old::begin(&site, revision).await;
        let mut listening = client.open(&client.get(), None).await;
        let mut events = client.stream(&call(1, "confirmed", json!({}))).await;
        if revision == NEWEST {
            events.priming().await;
        }
        let (_, question) = events.message().await;
        assert_eq!(question["method"], "elicitation/create");
        assert_eq!(question["params"]["message"], "Go on?");
        let answer = json!({"jsonrpc": "2.0", "id": question["id"],
            "result": {"action": "accept", "content": {"confirm": true}}});
        // Another session's answer is nobody's.
        let other = Old::begin(&site, revision).await;
        assert_eq!(other.send(&answer).await.head.status, 202);
        let response = client.send(&answer).await;
        assert_eq!((response.head.status, &*response.body), (202, ""));
        let (_, result) = events.message().await;
        assert_eq!(text(&result), "confirmed: true");
        assert_eq!(events.next().await, None);
        // Once more, it is answered already.
        assert_eq!(client.send(&answer).await.head.status, 202);
        site.send(&client.delete()).await;
        assert_eq!(listening.next().await, None);
    }
}

/// A question that was on a connection that broke is asked again with the stream, under the same id.
#[tokio::test]
async fn a_question_survives_its_connection() {
    let (site, _) = open().await;
    let client = Old::begin(&site, NEWEST).await;
    let mut events = client.stream(&call(1, "confirmed", json!({}))).await;
    let seen = events.priming().await;
    let (_, first) = events.message().await;
    drop(events);
    let mut again = client.open(&client.resume(&seen), Some("tools/call")).await;
    let (_, second) = again.message().await;
    assert_eq!(first, second);
    let answer = json!({"jsonrpc": "2.0", "id": second["id"], "result": {"action": "decline"}});
    client.send(&answer).await;
    assert_eq!(again.texts().await, ["Decline"]);
}

/// A client that takes no stream is asked where it listens.
#[tokio::test]
async fn a_question_for_a_client_without_a_stream_goes_where_it_listens() {
    let (site, _) = open().await;
    let client = Old::begin(&site, NEWEST).await;
    let mut listening = client.open(&client.get(), None).await;
    let mut connection = site.connect().await;
    let post = client.post(&call(1, "confirmed", json!({})));
    connection
        .send(&post.with("Accept", "application/json"))
        .await;
    let (_, question) = listening.message().await;
    assert_eq!(question["method"], "elicitation/create");
    let answer = json!({"jsonrpc": "2.0", "id": question["id"],
        "result": {"action": "accept", "content": {"confirm": false}}});
    client.send(&answer).await;
    let answer = serde_json::from_str(&connection.response().await.body).unwrap();
    assert_eq!(text(&answer), "confirmed: false");
}
