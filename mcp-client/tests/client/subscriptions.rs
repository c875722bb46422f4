//! Subscriptions: the acknowledgement, what comes after it, and how they end.

use std::time::Duration;

use mcp_client::{Change, Changes, Client, End, Error, Subscription};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

use crate::support::{DiscoverAfter, Fake, Message, builder, call, connect, done};

fn subscribe(client: &Client, wanted: Subscription) -> JoinHandle<Result<Changes, Error>> {
    let client = client.clone();
    tokio::spawn(async move { client.subscribe(wanted).await })
}

async fn acknowledge(fake: &mut Fake, listen: &Message, honoured: Value) {
    let params = json!({"notifications": honoured});
    fake.notice(listen, "subscriptions/acknowledged", params)
        .await;
}

/// A subscription that got all that it wants, and its request.
async fn listen(client: &Client, fake: &mut Fake, wanted: Subscription) -> (Changes, Message) {
    let subscribing = subscribe(client, wanted);
    let request = fake.request("subscriptions/listen").await;
    let honoured = request.params()["notifications"].clone();
    acknowledge(fake, &request, honoured).await;
    (subscribing.await.unwrap().unwrap(), request)
}

/// Nothing is reported for a while.
async fn is_quiet(changes: &mut Changes) {
    let heard = timeout(Duration::from_millis(20), changes.next()).await;
    assert!(heard.is_err(), "{heard:?}");
}

#[tokio::test(start_paused = true)]
async fn what_is_wanted_is_sent_and_what_is_honoured_can_be_seen() {
    let (client, mut fake) = connect(builder()).await;
    let wanted = Subscription::new()
        .tools()
        .prompts()
        .resource("x://a")
        .resource("x://b")
        .resource("x://a");
    let subscribing = subscribe(&client, wanted);
    let request = fake.request("subscriptions/listen").await;
    assert_eq!(
        request.params()["notifications"],
        json!({
            "toolsListChanged": true,
            "promptsListChanged": true,
            "resourceSubscriptions": ["x://a", "x://b"]
        })
    );
    let meta = &request.params()["_meta"];
    assert_eq!(
        meta["io.modelcontextprotocol/protocolVersion"],
        "2026-07-28"
    );
    let honoured = json!({"toolsListChanged": true, "resourceSubscriptions": ["x://a"]});
    acknowledge(&mut fake, &request, honoured.clone()).await;
    let changes = subscribing.await.unwrap().unwrap();
    assert_eq!(serde_json::to_value(changes.honoured()).unwrap(), honoured);
    assert!(changes.end().is_none());
}

#[tokio::test(start_paused = true)]
async fn changes_are_reported_as_they_come() {
    let (client, mut fake) = connect(builder()).await;
    let wanted = Subscription::new().tools().prompts().resources();
    let (mut changes, request) = listen(&client, &mut fake, wanted.resource("x://a")).await;
    for (method, params, change) in [
        ("prompts/list_changed", json!({}), Change::Prompts),
        ("tools/list_changed", json!({}), Change::Tools),
        ("resources/list_changed", json!({}), Change::Resources),
        (
            "resources/updated",
            json!({"uri": "x://a"}),
            Change::Resource("x://a".to_owned()),
        ),
        // A part of what was subscribed to.
        (
            "resources/updated",
            json!({"uri": "x://a/b"}),
            Change::Resource("x://a/b".to_owned()),
        ),
    ] {
        fake.notice(&request, method, params).await;
        assert_eq!(changes.next().await, Some(change));
    }
    is_quiet(&mut changes).await;
}

#[tokio::test(start_paused = true)]
async fn nothing_may_come_before_the_acknowledgement() {
    let (client, mut fake) = connect(builder()).await;
    let subscribing = subscribe(&client, Subscription::new().tools());
    let request = fake.request("subscriptions/listen").await;
    fake.notice(&request, "tools/list_changed", json!({})).await;
    let error = subscribing.await.unwrap().unwrap_err();
    assert!(matches!(error, Error::InvalidResult { .. }), "{error}");
    assert!(error.to_string().contains("acknowledgement"), "{error}");
    fake.cancellation_of(&request).await;
}

#[tokio::test(start_paused = true)]
async fn an_end_before_the_acknowledgement_and_a_malformed_one_are_errors() {
    let (client, mut fake) = connect(builder()).await;
    let subscribing = subscribe(&client, Subscription::new().tools());
    let request = fake.request("subscriptions/listen").await;
    fake.reply(&request, json!({"resultType": "complete"}))
        .await;
    let error = subscribing.await.unwrap().unwrap_err();
    assert!(matches!(error, Error::InvalidResult { .. }), "{error}");

    let subscribing = subscribe(&client, Subscription::new().tools());
    let request = fake.request("subscriptions/listen").await;
    acknowledge(&mut fake, &request, json!("all")).await;
    let error = subscribing.await.unwrap().unwrap_err();
    assert!(matches!(error, Error::InvalidResult { .. }), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_server_without_subscriptions_says_so() {
    let (client, mut fake) = connect(builder()).await;
    let subscribing = subscribe(&client, Subscription::new().tools().reconnect());
    let request = fake.request("subscriptions/listen").await;
    let error = json!({"code": -32601, "message": "no such method"});
    fake.fail(&request, error).await;
    let error = subscribing.await.unwrap().unwrap_err();
    assert_eq!(error.code(), Some(-32601));
}

#[tokio::test(start_paused = true)]
async fn the_acknowledgement_has_to_come_in_time() {
    let limit = Duration::from_secs(5);
    let (client, mut fake) = connect(builder().request_timeout(limit)).await;
    let started = Instant::now();
    let subscribing = subscribe(&client, Subscription::new().tools());
    let request = fake.request("subscriptions/listen").await;
    let error = subscribing.await.unwrap().unwrap_err();
    assert!(
        matches!(error, Error::Timeout { after, .. } if after == limit),
        "{error}"
    );
    assert!(started.elapsed() >= limit);
    fake.cancellation_of(&request).await;

    // Once it has come, the stream may be silent for as long as it likes.
    let (mut changes, request) = listen(&client, &mut fake, Subscription::new().tools()).await;
    tokio::time::sleep(limit * 100).await;
    is_quiet(&mut changes).await;
    fake.notice(&request, "tools/list_changed", json!({})).await;
    assert_eq!(changes.next().await, Some(Change::Tools));
}

#[tokio::test(start_paused = true)]
async fn what_was_not_asked_for_is_ignored() {
    let (client, mut fake) = connect(builder()).await;
    let (mut changes, request) = listen(&client, &mut fake, Subscription::new().tools()).await;
    for (method, params) in [
        ("prompts/list_changed", json!({})),
        ("resources/list_changed", json!({})),
        ("resources/updated", json!({"uri": "x://a"})),
        ("resources/updated", json!({})),
        ("something/else", json!({})),
        ("subscriptions/acknowledged", json!({"notifications": {}})),
    ] {
        fake.notice(&request, method, params).await;
    }
    // Without an id it belongs to nobody.
    fake.notify("notifications/tools/list_changed", json!({}))
        .await;
    is_quiet(&mut changes).await;
    assert_eq!(changes.honoured().tools_list_changed, Some(true));
    fake.notice(&request, "tools/list_changed", json!({})).await;
    assert_eq!(changes.next().await, Some(Change::Tools));
}

#[tokio::test(start_paused = true)]
async fn several_subscriptions_are_told_apart_by_their_ids() {
    let (client, mut fake) = connect(builder()).await;
    let first = subscribe(&client, Subscription::new().tools());
    let first_request = fake.request("subscriptions/listen").await;
    let second = subscribe(&client, Subscription::new().tools().prompts());
    let second_request = fake.request("subscriptions/listen").await;
    assert_ne!(first_request.id(), second_request.id());
    // In the other order, and one interleaved with the messages of the other and with a call.
    let both = json!({"toolsListChanged": true, "promptsListChanged": true});
    acknowledge(&mut fake, &second_request, both).await;
    fake.notice(&second_request, "prompts/list_changed", json!({}))
        .await;
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    acknowledge(&mut fake, &first_request, json!({"toolsListChanged": true})).await;
    fake.reply(&request, done("ok")).await;
    fake.notice(&first_request, "tools/list_changed", json!({}))
        .await;
    let mut first = first.await.unwrap().unwrap();
    let mut second = second.await.unwrap().unwrap();
    assert_eq!(first.next().await, Some(Change::Tools));
    assert_eq!(second.next().await, Some(Change::Prompts));
    is_quiet(&mut first).await;
    is_quiet(&mut second).await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "ok");

    // The end of one is not the end of the other.
    first.close();
    fake.cancellation_of(&first_request).await;
    fake.notice(&first_request, "tools/list_changed", json!({}))
        .await;
    fake.notice(&second_request, "tools/list_changed", json!({}))
        .await;
    assert_eq!(second.next().await, Some(Change::Tools));
}

#[tokio::test(start_paused = true)]
async fn dropping_cancels_also_before_the_acknowledgement() {
    let (client, mut fake) = connect(builder()).await;
    let (changes, request) = listen(&client, &mut fake, Subscription::new().tools()).await;
    drop(changes);
    fake.cancellation_of(&request).await;

    let subscribing = subscribe(&client, Subscription::new().tools());
    let request = fake.request("subscriptions/listen").await;
    subscribing.abort();
    fake.cancellation_of(&request).await;
}

#[tokio::test(start_paused = true)]
async fn a_dropped_wait_loses_nothing() {
    let (client, mut fake) = connect(builder()).await;
    let (mut changes, request) = listen(&client, &mut fake, Subscription::new().tools()).await;
    is_quiet(&mut changes).await;
    fake.notice(&request, "tools/list_changed", json!({})).await;
    client.discover_after(&mut fake).await;
    assert_eq!(changes.next().await, Some(Change::Tools));
}

#[tokio::test(start_paused = true)]
async fn the_servers_result_is_a_graceful_end_after_what_came_before() {
    let (client, mut fake) = connect(builder()).await;
    let wanted = Subscription::new().tools().reconnect();
    let (mut changes, request) = listen(&client, &mut fake, wanted).await;
    fake.notice(&request, "tools/list_changed", json!({})).await;
    let meta = json!({"io.modelcontextprotocol/subscriptionId": request["id"]});
    fake.reply(&request, json!({"resultType": "complete", "_meta": meta}))
        .await;
    client.discover_after(&mut fake).await;
    assert_eq!(changes.next().await, Some(Change::Tools));
    assert_eq!(changes.next().await, None);
    assert!(matches!(changes.end(), Some(End::Graceful)));
    assert_eq!(changes.next().await, None);
    // It is not opened again, and there is nothing left to cancel.
    drop(changes);
    fake.hears_nothing().await;
}

#[tokio::test(start_paused = true)]
async fn an_acknowledgement_of_nothing_with_its_end_is_a_subscription() {
    let (client, mut fake) = connect(builder()).await;
    let subscribing = subscribe(&client, Subscription::new().prompts());
    let request = fake.request("subscriptions/listen").await;
    acknowledge(&mut fake, &request, json!({})).await;
    fake.reply(&request, json!({"resultType": "complete"}))
        .await;
    let mut changes = subscribing.await.unwrap().unwrap();
    assert_eq!(changes.honoured().prompts_list_changed, None);
    assert_eq!(changes.next().await, None);
    assert!(matches!(changes.end(), Some(End::Graceful)));
}

#[tokio::test(start_paused = true)]
async fn the_server_may_take_a_subscription_back_and_nothing_else() {
    let (client, mut fake) = connect(builder()).await;
    let (mut changes, request) = listen(&client, &mut fake, Subscription::new().tools()).await;
    let calling = call(&client, "t", json!({}));
    let called = fake.request("tools/call").await;
    for id in [&called["id"], &request["id"], &json!("x"), &json!(999)] {
        fake.notify("notifications/cancelled", json!({"requestId": id}))
            .await;
    }
    assert_eq!(changes.next().await, None);
    assert!(matches!(changes.end(), Some(End::Graceful)));
    fake.reply(&called, done("still here")).await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "still here");
    fake.hears_nothing().await;
}

#[tokio::test(start_paused = true)]
async fn a_closed_connection_ends_it_for_good() {
    for reconnect in [false, true] {
        let (client, mut fake) = connect(builder()).await;
        let wanted = Subscription::new().tools();
        let wanted = if reconnect {
            wanted.reconnect()
        } else {
            wanted
        };
        let (mut changes, _) = listen(&client, &mut fake, wanted).await;
        fake.close_output().await;
        assert_eq!(changes.next().await, None);
        let end = changes.end();
        assert!(
            matches!(end, Some(End::Lost(Error::Closed { .. }))),
            "{end:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn two_hundred_notices_are_one_fetch_and_one_more_for_what_came_meanwhile() {
    let (client, mut fake) = connect(builder()).await;
    let (mut changes, request) = listen(&client, &mut fake, Subscription::new().tools()).await;
    for _ in 0..200 {
        fake.notice(&request, "tools/list_changed", json!({})).await;
    }
    client.discover_after(&mut fake).await;

    let host = tokio::spawn(async move {
        let mut fetches = 0;
        while let Some(change) = changes.next().await {
            assert_eq!(change, Change::Tools);
            client.list_tools().await.unwrap();
            fetches += 1;
        }
        fetches
    });
    let list = fake.request("tools/list").await;
    for _ in 0..200 {
        fake.notice(&request, "tools/list_changed", json!({})).await;
    }
    fake.reply(&list, json!({"tools": [], "ttlMs": 60_000}))
        .await;
    // The last change is not lost, although the first answer was allowed to be kept.
    let list = fake.request("tools/list").await;
    fake.reply(&list, json!({"tools": [], "ttlMs": 60_000}))
        .await;
    fake.hears_nothing().await;
    fake.reply(&request, json!({"resultType": "complete"}))
        .await;
    assert_eq!(host.await.unwrap(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_announces_a_change_after_each_list_does_not_make_a_storm() {
    let (client, mut fake) = connect(builder()).await;
    let (mut changes, request) = listen(&client, &mut fake, Subscription::new().tools()).await;
    fake.notice(&request, "tools/list_changed", json!({})).await;
    let _host = tokio::spawn(async move {
        while changes.next().await.is_some() {
            client.list_tools().await.unwrap();
        }
    });
    let mut fetches = 0;
    let minute = tokio::time::sleep(Duration::from_secs(60));
    tokio::pin!(minute);
    loop {
        tokio::select! {
            list = fake.request("tools/list") => {
                fetches += 1;
                fake.reply(&list, json!({"tools": []})).await;
                fake.notice(&request, "tools/list_changed", json!({})).await;
            }
            () = &mut minute => break,
        }
    }
    assert!((5..=14).contains(&fetches), "{fetches}");
}
