//! Subscriptions: streams that stay open.

use std::time::Duration;

use mcp_tests::web::{Connection, Post, Site, events};
use serde_json::{Value, json};

use crate::{server, server_of};

fn listen(filter: Value) -> Post {
    Post::request("subscriptions/listen", json!({"notifications": filter}))
}

fn tools() -> Post {
    listen(json!({"toolsListChanged": true}))
}

async fn next(connection: &mut Connection) -> Value {
    let chunk = connection.chunk().await.unwrap();
    events(&chunk).remove(0)
}

#[tokio::test]
async fn a_subscription_is_acknowledged_told_and_ended_with_its_result() {
    let (server, _) = server();
    let site = Site::open(server.http()).await;
    let mut connection = site.connect().await;
    connection.send(&tools()).await;
    assert!(connection.head().await.is_stream());
    let acknowledged = next(&mut connection).await;
    assert_eq!(
        acknowledged["method"],
        "notifications/subscriptions/acknowledged"
    );
    assert_eq!(
        acknowledged["params"]["notifications"],
        json!({"toolsListChanged": true})
    );
    let id = "io.modelcontextprotocol/subscriptionId";
    assert_eq!(acknowledged["params"]["_meta"][id], 7);
    for _ in 0..2 {
        server.notify().tools_changed();
        let change = next(&mut connection).await;
        assert_eq!(change["method"], "notifications/tools/list_changed");
        assert_eq!(change["params"]["_meta"][id], 7);
    }
    // Its answer is the last thing, and the connection ends in order.
    server.shutdown().begin();
    let result = next(&mut connection).await;
    assert_eq!(
        (&result["id"], &result["result"]["resultType"]),
        (&json!(7), &json!("complete"))
    );
    assert_eq!(connection.chunk().await, None);
    connection.closed().await;
    site.ended().await;
}

#[tokio::test]
async fn a_silent_subscription_gets_comments() {
    let (server, _) = server();
    let site = Site::open(server.http().keep_alive(Duration::from_millis(40))).await;
    let mut connection = site.connect().await;
    connection.send(&tools()).await;
    assert!(connection.head().await.is_stream());
    next(&mut connection).await;
    for _ in 0..3 {
        assert_eq!(connection.chunk().await.unwrap(), ":\n\n");
    }
}

/// It would hold a socket for nothing.
#[tokio::test]
async fn a_subscription_to_nothing_ends_at_once() {
    let (server, _) = server();
    let site = Site::open(server.http()).await;
    let messages = site
        .send(&listen(json!({"promptsListChanged": true})))
        .await
        .messages();
    assert_eq!(messages[0]["params"]["notifications"], json!({}));
    assert_eq!(messages[1]["result"]["resultType"], "complete");
    assert_eq!(messages.len(), 2);
}

#[tokio::test]
async fn a_client_that_takes_no_stream_cannot_listen() {
    let work = std::sync::Arc::default();
    let server = server_of(&work).max_subscriptions(1).build().unwrap();
    let site = Site::open(server.http()).await;
    let response = site.send(&tools().with("Accept", "application/json")).await;
    assert_eq!(response.refusal(), (406, -32600));
    // Not even where it would end at once: the acknowledgement comes first, and cannot be said.
    let nothing = listen(json!({})).with("Accept", "application/json");
    assert_eq!(site.send(&nothing).await.refusal(), (406, -32600));
    // And holds no place.
    let mut connection = site.connect().await;
    connection.send(&tools()).await;
    assert!(connection.head().await.is_stream());
}

#[tokio::test]
async fn a_client_that_goes_makes_room() {
    let work = std::sync::Arc::default();
    let server = server_of(&work).max_subscriptions(1).build().unwrap();
    let site = Site::open(server.http()).await;
    let mut connection = site.connect().await;
    connection.send(&tools()).await;
    assert!(connection.head().await.is_stream());
    assert_eq!(site.send(&tools()).await.refusal(), (200, -32603));
    drop(connection);
    for _ in 0..200 {
        let mut connection = site.connect().await;
        connection.send(&tools()).await;
        if connection.head().await.is_stream() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the place is still taken");
}
