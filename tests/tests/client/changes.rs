//! Subscriptions, from `Notify` to `Changes`.

use std::time::Duration;

use mcp_client::{Change, End, Subscription};
use mcp_server::prelude::*;
use tokio::time::timeout;

use crate::support::{connect, host};

/// Longer than anything takes that is not broken.
const PATIENCE: Duration = Duration::from_secs(20);

/// Says how much is in stock.
#[tool]
async fn stock() -> u32 {
    3
}

fn server() -> Server {
    Server::builder("shop", "1.0.0")
        .tools(tools![stock])
        .build()
        .unwrap()
}

#[tokio::test]
async fn a_change_is_heard_of_and_what_the_server_has_not_is_not_promised() {
    let server = server();
    let (client, _) = connect(&server, host()).await;
    let wanted = Subscription::new()
        .tools()
        .prompts()
        .resource("shop://stock");
    let mut changes = client.subscribe(wanted).await.unwrap();
    assert_eq!(changes.honoured().tools_list_changed, Some(true));
    assert_eq!(changes.honoured().prompts_list_changed, None);
    assert_eq!(changes.honoured().resource_subscriptions, None);
    server.notify().tools_changed();
    let change = timeout(PATIENCE, changes.next()).await.unwrap();
    assert_eq!(change, Some(Change::Tools));
}

/// Field report: two hundred notices made two hundred fetches, and a throttle lost the last one.
#[tokio::test]
async fn two_hundred_changes_are_few_fetches_and_the_last_is_seen() {
    let server = server();
    let (client, record) = connect(&server, host()).await;
    let mut changes = client.subscribe(Subscription::new().tools()).await.unwrap();
    for _ in 0..200 {
        server.notify().tools_changed();
    }
    let watching = async {
        while changes.next().await.is_some() {
            client.list_tools().await.unwrap();
        }
    };
    assert!(timeout(Duration::from_secs(1), watching).await.is_err());
    let fetches = record.requests("tools/list");
    assert!((1..=4).contains(&fetches), "{fetches}");
    server.notify().tools_changed();
    let change = timeout(PATIENCE, changes.next()).await.unwrap();
    assert_eq!(change, Some(Change::Tools));
}

#[tokio::test]
async fn several_subscriptions_hear_of_their_own_and_dropping_frees_the_place() {
    let server = server();
    let (client, _) = connect(&server, host()).await;
    let mut first = client.subscribe(Subscription::new().tools()).await.unwrap();
    let mut second = client.subscribe(Subscription::new().tools()).await.unwrap();
    assert_eq!(server.notify().listening(), 2);
    server.notify().tools_changed();
    for changes in [&mut first, &mut second] {
        let change = timeout(PATIENCE, changes.next()).await.unwrap();
        assert_eq!(change, Some(Change::Tools));
    }
    drop(first);
    second.close();
    let freed = async {
        while server.notify().listening() != 0 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    timeout(PATIENCE, freed).await.unwrap();
}

/// Field report: a subscription to nothing that the server has held a connection for ever.
#[tokio::test]
async fn a_subscription_to_nothing_ends_at_once_and_in_good_order() {
    let (client, _) = connect(&server(), host()).await;
    let wanted = Subscription::new().prompts();
    let mut changes = client.subscribe(wanted).await.unwrap();
    assert_eq!(timeout(PATIENCE, changes.next()).await.unwrap(), None);
    assert!(matches!(changes.end(), Some(End::Graceful)));
}

#[tokio::test]
async fn a_shutdown_is_an_end_in_good_order() {
    let server = server();
    let (client, _) = connect(&server, host()).await;
    let wanted = Subscription::new().tools().reconnect();
    let mut changes = client.subscribe(wanted).await.unwrap();
    server.shutdown().begin();
    assert_eq!(timeout(PATIENCE, changes.next()).await.unwrap(), None);
    assert!(matches!(changes.end(), Some(End::Graceful)));
}
