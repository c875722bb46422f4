//! `Builder::list_ttl` of the server, seen by the client.

use std::time::Duration;

use mcp_client::{SharedCache, Subscription};
use mcp_server::prelude::*;

use crate::support::{connect, host};

/// Says how much is in stock.
#[tool]
async fn stock() -> u32 {
    3
}

fn server(ttl: Duration) -> Server {
    let builder = Server::builder("shop", "1.0.0").list_ttl(ttl);
    builder.tools(tools![stock]).build().unwrap()
}

#[tokio::test]
async fn lists_are_kept_as_long_as_the_server_allows() {
    for (ttl, requests) in [(Duration::ZERO, 2), (Duration::from_secs(600), 1)] {
        let (client, record) = connect(&server(ttl), host()).await;
        for _ in 0..2 {
            assert_eq!(client.list_tools().await.unwrap().len(), 1);
            client.discover().await.unwrap();
        }
        assert_eq!(record.requests("tools/list"), requests, "{ttl:?}");
    }
    let (client, record) = connect(&server(Duration::from_secs(600)), host().without_cache()).await;
    for _ in 0..2 {
        client.list_tools().await.unwrap();
    }
    assert_eq!(record.requests("tools/list"), 2);
}

#[tokio::test]
async fn the_first_question_of_a_connection_is_answered_for_later_ones() {
    let (client, record) = connect(&server(Duration::from_secs(600)), host()).await;
    client.discover().await.unwrap();
    assert_eq!(record.requests("server/discover"), 1);
}

#[tokio::test]
async fn a_change_makes_a_kept_list_stale() {
    let server = server(Duration::from_secs(600));
    let (client, record) = connect(&server, host()).await;
    let mut changes = client.subscribe(Subscription::new().tools()).await.unwrap();
    client.list_tools().await.unwrap();
    server.notify().tools_changed();
    changes.next().await.unwrap();
    for _ in 0..2 {
        client.list_tools().await.unwrap();
    }
    assert_eq!(record.requests("tools/list"), 2);
}

/// Field report: a list of one user's was served to another. Private is what the server says unless told
/// otherwise.
#[tokio::test]
async fn private_lists_stay_within_their_partition() {
    let server = server(Duration::from_secs(600));
    let cache = SharedCache::new();
    for (user, requests) in [("anna", 1), ("anna", 0), ("ben", 1)] {
        let builder = host().cache(&cache).cache_partition(user);
        let (client, record) = connect(&server, builder).await;
        client.list_tools().await.unwrap();
        assert_eq!(record.requests("tools/list"), requests, "{user}");
    }
}
