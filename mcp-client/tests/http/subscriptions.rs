//! Subscriptions over HTTP: each is a POST of its own, whose stream may break off.

use std::time::Duration;

use mcp_client::{Change, Changes, Client, End, Error, Subscription};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::support::{Post, Server, builder, connect, response};

fn subscribe(client: &Client, wanted: Subscription) -> JoinHandle<Result<Changes, Error>> {
    let client = client.clone();
    tokio::spawn(async move { client.subscribe(wanted).await })
}

/// Waits in the background, so that the subscription is driven.
fn next(mut changes: Changes) -> JoinHandle<(Option<Change>, Changes)> {
    tokio::spawn(async move { (changes.next().await, changes) })
}

async fn notice(post: &mut Post, method: &str, mut params: Value) {
    params["_meta"] = json!({"io.modelcontextprotocol/subscriptionId": post.id()});
    let method = format!("notifications/{method}");
    let notice = json!({"jsonrpc": "2.0", "method": method, "params": params});
    post.write(format!("data: {notice}\n\n")).await;
}

/// Accepts a subscription and agrees to everything.
async fn acknowledge(server: &Server) -> Post {
    let mut post = server.request("subscriptions/listen").await;
    let honoured = post.json()["params"]["notifications"].clone();
    post.begin_stream().await;
    let params = json!({"notifications": honoured});
    notice(&mut post, "subscriptions/acknowledged", params).await;
    post
}

#[tokio::test]
async fn two_streams_beside_each_other_and_their_ends() {
    let (client, server) = connect(builder()).await;
    let first = subscribe(&client, Subscription::new().tools());
    let mut first_post = acknowledge(&server).await;
    assert_eq!(
        first_post.header("mcp-method"),
        Some("subscriptions/listen")
    );
    assert_eq!(first_post.header("mcp-name"), None);
    let mut first = first.await.unwrap().unwrap();
    let second = subscribe(&client, Subscription::new().resource("x://a"));
    let mut second_post = acknowledge(&server).await;
    let mut second = second.await.unwrap().unwrap();

    notice(
        &mut second_post,
        "resources/updated",
        json!({"uri": "x://a"}),
    )
    .await;
    notice(&mut first_post, "tools/list_changed", json!({})).await;
    assert_eq!(first.next().await, Some(Change::Tools));
    let resource = Change::Resource("x://a".to_owned());
    assert_eq!(second.next().await, Some(resource));

    // The server ends one, and the client the other: it closes the stream and sends nothing.
    let result = json!({"resultType": "complete"});
    let end = response(&first_post.id(), &result);
    first_post.write(format!("data: {end}\n\n")).await;
    assert_eq!(first.next().await, None);
    assert!(matches!(first.end(), Some(End::Graceful)));
    drop(second);
    assert!(second_post.closed().await.is_empty());
    server.hears_nothing().await;
}

#[tokio::test]
async fn a_subscription_outlives_the_request_timeout() {
    let limit = Duration::from_millis(50);
    let (client, server) = connect(builder().request_timeout(limit)).await;
    let subscribing = subscribe(&client, Subscription::new().tools());
    let mut post = acknowledge(&server).await;
    let mut changes = subscribing.await.unwrap().unwrap();
    tokio::time::sleep(limit * 3).await;
    post.write(":\r\n\r\n").await;
    notice(&mut post, "tools/list_changed", json!({})).await;
    assert_eq!(changes.next().await, Some(Change::Tools));
}

#[tokio::test]
async fn a_stream_that_breaks_off_is_an_end_unless_it_is_to_be_opened_again() {
    let (client, server) = connect(builder()).await;
    let subscribing = subscribe(&client, Subscription::new().tools());
    let post = acknowledge(&server).await;
    let mut changes = subscribing.await.unwrap().unwrap();
    drop(post);
    assert_eq!(changes.next().await, None);
    let end = changes.end();
    assert!(
        matches!(end, Some(End::Lost(Error::RequestFailed { .. }))),
        "{end:?}"
    );
    server.hears_nothing().await;
}

#[tokio::test]
async fn a_broken_stream_is_opened_again_and_what_was_missed_is_assumed() {
    let (client, server) = connect(builder()).await;
    let wanted = Subscription::new().tools().resource("x://a").reconnect();
    let subscribing = subscribe(&client, wanted);
    let post = acknowledge(&server).await;
    let (id, params) = (post.id(), post.json()["params"].clone());
    let waiting = next(subscribing.await.unwrap().unwrap());
    drop(post);

    // The server is not back yet.
    let refused = server.request("subscriptions/listen").await;
    refused.respond("503 Service Unavailable", "", "").await;
    let refused = server.request("subscriptions/listen").await;
    let busy = json!({"code": -32603, "message": "too many subscriptions"});
    refused.fail("503 Service Unavailable", busy).await;
    let mut post = server.request("subscriptions/listen").await;
    assert_ne!(post.id(), id);
    assert_eq!(post.json()["params"], params);
    post.begin_stream().await;
    // This time it agrees to less.
    let honoured = json!({"notifications": {"toolsListChanged": true}});
    notice(&mut post, "subscriptions/acknowledged", honoured).await;
    let (change, mut changes) = waiting.await.unwrap();
    assert_eq!(change, Some(Change::Tools));
    assert_eq!(changes.honoured().resource_subscriptions, None);
    let quiet = timeout(Duration::from_millis(50), changes.next()).await;
    assert!(quiet.is_err(), "{quiet:?}");
    notice(&mut post, "tools/list_changed", json!({})).await;
    assert_eq!(changes.next().await, Some(Change::Tools));
}

#[tokio::test]
async fn a_server_that_refuses_for_good_is_not_asked_again() {
    for (status, body) in [
        ("401 Unauthorized", String::new()),
        ("404 Not Found", String::new()),
        (
            "200 OK",
            r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"m"}}"#.to_owned(),
        ),
    ] {
        let (client, server) = connect(builder()).await;
        let subscribing = subscribe(&client, Subscription::new().tools().reconnect());
        let post = acknowledge(&server).await;
        let waiting = next(subscribing.await.unwrap().unwrap());
        drop(post);
        let post = server.request("subscriptions/listen").await;
        let body = body.replace("ID", &post.id().to_string());
        post.respond(status, "content-type: application/json\r\n", body)
            .await;
        let (change, changes) = waiting.await.unwrap();
        assert_eq!(change, None, "{status}");
        assert!(matches!(changes.end(), Some(End::Lost(_))), "{status}");
        server.hears_nothing().await;
    }
}

#[tokio::test]
async fn closing_the_client_ends_the_attempts() {
    let (client, server) = connect(builder()).await;
    let subscribing = subscribe(&client, Subscription::new().tools().reconnect());
    let post = acknowledge(&server).await;
    let waiting = next(subscribing.await.unwrap().unwrap());
    drop(post);
    // The first attempt has begun: it waits for an answer.
    let _post = server.request("subscriptions/listen").await;
    client.close().await;
    let (change, changes) = waiting.await.unwrap();
    assert_eq!(change, None);
    let end = changes.end();
    assert!(
        matches!(end, Some(End::Lost(Error::Closed { .. }))),
        "{end:?}"
    );
}

#[tokio::test]
async fn requests_go_on_beside_a_subscription_and_prompts_and_resources_are_named_in_headers() {
    let (client, server) = connect(builder()).await;
    let subscribing = subscribe(&client, Subscription::new().tools());
    let _post = acknowledge(&server).await;
    let _changes = subscribing.await.unwrap().unwrap();
    let serving = async {
        let post = server.request("prompts/get").await;
        assert_eq!(post.header("mcp-name"), Some("review"));
        post.reply(&json!({"messages": []})).await;
        let post = server.request("resources/read").await;
        assert_eq!(post.header("mcp-name"), Some("x://a"));
        post.reply(&json!({"contents": []})).await;
    };
    let asking = async {
        client.get_prompt("review", ()).await.unwrap();
        client.read_resource("x://a").await.unwrap();
    };
    tokio::join!(asking, serving);
}
