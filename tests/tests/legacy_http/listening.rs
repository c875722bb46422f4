//! The stream of a GET: what belongs to no request.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{
    old::{ALL, NEWEST, Old, call, open, request, serve, text},
    reached, server,
};

#[tokio::test]
async fn changes_come_on_the_stream_of_a_get() {
    let (server, _) = server();
    let site = serve(&server, |http| http).await;
    for revision in ALL {
        let client = Old::begin(&site, revision).await;
        let subscribe = request(1, "resources/subscribe", json!({"uri": "note://today"}));
        assert_eq!(client.ask(&subscribe).await["result"], json!({}));
        let mut listening = client.open(&client.get(), None).await;
        server.notify().resource_updated("note://today");
        let (_, updated) = listening.message().await;
        assert_eq!(updated["method"], "notifications/resources/updated");
        assert_eq!(updated["params"], json!({"uri": "note://today"}));
        server.tools().disable("eager").unwrap();
        let (seen, changed) = listening.message().await;
        assert_eq!(changed["method"], "notifications/tools/list_changed");
        // While nobody listens, what changes is kept in mind.
        drop(listening);
        tokio::time::sleep(Duration::from_millis(50)).await;
        server.tools().enable("eager").unwrap();
        tokio::time::sleep(Duration::from_millis(50)).await;
        let mut again = client.open(&client.resume(&seen), None).await;
        let (_, changed) = again.message().await;
        assert_eq!(changed["method"], "notifications/tools/list_changed");
        site.send(&client.delete()).await;
    }
}

/// Each message goes to one connection, and what belongs to a call is not for listeners.
#[tokio::test]
async fn what_belongs_to_a_call_is_not_for_listeners() {
    let (server, work) = server();
    let site = serve(&server, |http| http).await;
    let client = Old::begin(&site, NEWEST).await;
    let mut listening = client.open(&client.get(), None).await;
    let mut events = client.stream(&call(1, "gated", json!({}))).await;
    reached(&work.begun, 1).await;
    server.tools().disable("eager").unwrap();
    let (_, changed) = listening.message().await;
    assert_eq!(changed["method"], "notifications/tools/list_changed");
    work.gate.notify_one();
    assert_eq!(
        events.texts().await,
        ["before", "after", "through the gate"]
    );
    listening
        .connection
        .assert_silent(Duration::from_millis(50))
        .await;
}

#[tokio::test]
async fn a_second_listener_takes_the_place_of_the_first() {
    let (server, _) = server();
    let site = serve(&server, |http| http).await;
    let client = Old::begin(&site, NEWEST).await;
    let mut first = client.open(&client.get(), None).await;
    let mut second = client.open(&client.get(), None).await;
    assert_eq!(first.next().await, None);
    server.tools().disable("eager").unwrap();
    let (_, changed): (_, Value) = second.message().await;
    assert_eq!(changed["method"], "notifications/tools/list_changed");
}

#[tokio::test]
async fn a_get_must_take_events() {
    let (site, _) = open().await;
    let client = Old::begin(&site, NEWEST).await;
    for accept in ["application/json", "text/html"] {
        let response = site.send(&client.get().with("Accept", accept)).await;
        assert_eq!(response.refusal(), (406, -32600));
    }
    for accept in ["text/*", "*/*", "application/json, text/event-stream"] {
        client
            .open(&client.get().with("Accept", accept), None)
            .await;
    }
    // Its query and its case are nobody's business, and the session goes on.
    let answer = client.ask(&call(1, "echo", json!({"text": "x"}))).await;
    assert_eq!(text(&answer), "x");
}
