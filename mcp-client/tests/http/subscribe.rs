//! Subscriptions over HTTP: a stream that stays open.

use std::time::Duration;

use mcp_client::{Change, Changes, Client, End, Error, Subscription};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::support::{Post, Server, builder, connect, response};

fn notice(post: &Post, method: &str, mut params: Value) -> String {
    params["_meta"] = json!({"io.modelcontextprotocol/subscriptionId": post.id()});
    let method = format!("notifications/{method}");
    let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
    format!("data: {message}\n\n")
}

/// The request, acknowledged as it is wanted.
async fn acknowledged(server: &Server) -> Post {
    let mut post = server.request("subscriptions/listen").await;
    assert_eq!(post.header("mcp-method"), Some("subscriptions/listen"));
    let wanted = post.json()["params"]["notifications"].clone();
    let acknowledgement = notice(
        &post,
        "subscriptions/acknowledged",
        json!({"notifications": wanted}),
    );
    post.begin_stream().await;
    post.write(format!(": hello\n\n{acknowledgement}")).await;
    post
}

async fn listen(client: &Client, server: &Server, wanted: Subscription) -> (Changes, Post) {
    let (changes, post) = tokio::join!(client.subscribe(wanted), acknowledged(server));
    (changes.unwrap(), post)
}

async fn next(changes: &mut Changes) -> Option<Change> {
    timeout(Duration::from_secs(10), changes.next())
        .await
        .unwrap()
}

#[tokio::test]
async fn a_subscription_outlives_the_request_timeout() {
    let (client, server) = connect(builder().request_timeout(Duration::from_millis(50))).await;
    let (mut changes, mut post) = listen(&client, &server, Subscription::new().tools()).await;
    tokio::time::sleep(Duration::from_millis(150)).await;
    post.write(":\r\n\r\n").await;
    let change = notice(&post, "tools/list_changed", json!({}));
    post.write(change).await;
    assert_eq!(next(&mut changes).await, Some(Change::Tools));
    let end = response(&post.id(), &json!({"resultType": "complete"}));
    post.write(format!("data: {end}\n\n")).await;
    assert_eq!(next(&mut changes).await, None);
    assert!(matches!(changes.end(), Some(End::Graceful)));
}

#[tokio::test]
async fn dropping_a_subscription_closes_its_stream() {
    let (client, server) = connect(builder()).await;
    let (changes, post) = listen(&client, &server, Subscription::new().prompts()).await;
    drop(changes);
    assert_eq!(post.closed().await, b"");
    server.hears_nothing().await;
}

#[tokio::test]
async fn a_broken_stream_is_opened_again_where_that_is_wanted() {
    let (client, server) = connect(builder()).await;
    let (mut changes, post) =
        listen(&client, &server, Subscription::new().tools().reconnect()).await;
    drop(post);
    let (change, _post) = tokio::join!(next(&mut changes), acknowledged(&server));
    assert_eq!(change, Some(Change::Tools), "nobody listened for a while");

    let (mut changes, post) = listen(&client, &server, Subscription::new().tools()).await;
    drop(post);
    assert_eq!(next(&mut changes).await, None);
    let end = changes.end();
    assert!(
        matches!(end, Some(End::Lost(Error::RequestFailed { .. }))),
        "{end:?}"
    );
}
