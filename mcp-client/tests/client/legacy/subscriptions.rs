//! Subscriptions on servers that report changes to everybody.

use mcp_client::{Change, Changes, Client, End, Error, Revision, Subscription};
use serde_json::json;

use super::{connect_at, connect_offering};
use crate::support::{Fake, builder};

async fn subscribe(
    client: &Client,
    fake: &mut Fake,
    wanted: Subscription,
    new: &[&str],
) -> Changes {
    let server = async {
        for uri in new {
            let request = fake.request("resources/subscribe").await;
            assert_eq!(*request.params(), json!({"uri": uri}));
            fake.reply(&request, json!({})).await;
        }
    };
    let (changes, ()) = tokio::join!(client.subscribe(wanted), server);
    changes.unwrap()
}

#[tokio::test(start_paused = true)]
async fn changes_are_reported_in_every_revision() {
    for revision in Revision::LEGACY {
        let (client, mut fake) = connect_at(builder(), *revision).await;
        let wanted = Subscription::new().tools().prompts().resource("x://a");
        let mut changes = subscribe(&client, &mut fake, wanted, &["x://a"]).await;
        assert_eq!(changes.honoured().tools_list_changed, Some(true));
        assert_eq!(changes.honoured().resources_list_changed, None);
        for list in ["resources", "tools"] {
            // Older servers send no params with these.
            fake.line(&format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/{list}/list_changed"}}"#
            ))
            .await;
        }
        fake.notify(
            "notifications/resources/updated",
            json!({"uri": "x://a/part"}),
        )
        .await;
        assert_eq!(changes.next().await, Some(Change::Tools));
        let part = Change::Resource("x://a/part".to_owned());
        assert_eq!(changes.next().await, Some(part));
    }
}

#[tokio::test(start_paused = true)]
async fn only_what_the_server_offers_is_honoured() {
    let capabilities = json!({"tools": {}, "prompts": {"listChanged": true}, "resources": {}});
    let (client, mut fake) = connect_offering(builder(), Revision::V2025_06_18, capabilities).await;
    let wanted = Subscription::new()
        .tools()
        .prompts()
        .resources()
        .resource("x://a");
    let changes = subscribe(&client, &mut fake, wanted, &[]).await;
    let honoured = serde_json::to_value(changes.honoured()).unwrap();
    assert_eq!(honoured, json!({"promptsListChanged": true}));
    fake.hears_nothing().await;
}

#[tokio::test(start_paused = true)]
async fn a_resource_is_subscribed_to_once_and_given_up_by_the_last() {
    let (client, mut fake) = connect_at(builder(), Revision::V2025_11_25).await;
    let a = |more: &str| Subscription::new().resource("x://a").resource(more);
    let mut first = subscribe(&client, &mut fake, a("x://b"), &["x://a", "x://b"]).await;
    let mut second = subscribe(&client, &mut fake, a("x://c"), &["x://c"]).await;
    for uri in ["x://b", "x://c", "x://a"] {
        fake.notify("notifications/resources/updated", json!({"uri": uri}))
            .await;
    }
    let resource = |uri: &str| Some(Change::Resource(uri.to_owned()));
    assert_eq!(first.next().await, resource("x://b"));
    assert_eq!(first.next().await, resource("x://a"));
    assert_eq!(second.next().await, resource("x://c"));
    assert_eq!(second.next().await, resource("x://a"));

    drop(first);
    let ended = fake.request("resources/unsubscribe").await;
    assert_eq!(*ended.params(), json!({"uri": "x://b"}));
    fake.reply(&ended, json!({})).await;
    second.close();
    for uri in ["x://a", "x://c"] {
        let ended = fake.request("resources/unsubscribe").await;
        assert_eq!(*ended.params(), json!({"uri": uri}));
        fake.reply(&ended, json!({})).await;
    }
}

#[tokio::test(start_paused = true)]
async fn one_that_begins_while_another_ends_is_not_ended_with_it() {
    let (client, mut fake) = connect_at(builder(), Revision::V2025_11_25).await;
    let a = || Subscription::new().resource("x://a");
    let first = subscribe(&client, &mut fake, a(), &["x://a"]).await;
    drop(first);
    let next = client.clone();
    let mut second = tokio::spawn(async move { next.subscribe(a()).await });
    // Either nothing is said, or both in order.
    let mut reported = true;
    while let Ok(Some(message)) =
        tokio::time::timeout(std::time::Duration::from_millis(50), fake.next()).await
    {
        reported = message["method"] == "resources/subscribe";
        fake.reply(&message, json!({})).await;
    }
    assert!(reported);
    let mut second = (&mut second).await.unwrap().unwrap();
    fake.notify("notifications/resources/updated", json!({"uri": "x://a"}))
        .await;
    let change = Change::Resource("x://a".to_owned());
    assert_eq!(second.next().await, Some(change));
}

#[tokio::test(start_paused = true)]
async fn a_resource_that_cannot_be_subscribed_to_fails_the_subscription() {
    let (client, mut fake) = connect_at(builder(), Revision::V2025_11_25).await;
    let wanted = Subscription::new().resource("x://a").resource("x://b");
    let server = async {
        let request = fake.request("resources/subscribe").await;
        fake.reply(&request, json!({})).await;
        let request = fake.request("resources/subscribe").await;
        fake.fail(&request, json!({"code": -32002, "message": "no"}))
            .await;
    };
    let (changes, ()) = tokio::join!(client.subscribe(wanted), server);
    assert!(matches!(changes, Err(Error::Rpc(error)) if error.code == -32002));
    let ended = fake.request("resources/unsubscribe").await;
    assert_eq!(*ended.params(), json!({"uri": "x://a"}));
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_connection_ends_it() {
    let (client, mut fake) = connect_at(builder(), Revision::V2025_03_26).await;
    let wanted = Subscription::new().tools().reconnect();
    let mut changes = subscribe(&client, &mut fake, wanted, &[]).await;
    drop(fake);
    assert_eq!(changes.next().await, None);
    assert!(matches!(
        changes.into_end(),
        Some(End::Lost(Error::Closed { .. }))
    ));
}
