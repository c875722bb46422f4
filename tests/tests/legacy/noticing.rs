//! What a session hears of: lists that change, and the resources that it has subscribed to.

use std::time::Duration;

use mcp_core::Revision;
use mcp_server::Server;
use mcp_tests::{
    earlier::Earlier,
    wire::{Wire, code},
};
use serde_json::json;

use crate::everything::{capabilities, resources, server};

const MOMENT: Duration = Duration::from_millis(100);

#[tokio::test]
async fn lists_that_change() {
    for revision in Revision::LEGACY {
        let server = server();
        let mut client = Earlier::connect(&server, *revision, capabilities()).await;
        client.request("ping", json!({})).await;
        server.tools().disable("stock").unwrap();
        let notice = client.notice().await;
        assert_eq!(notice["method"], "notifications/tools/list_changed");
        server.notify().prompts_changed();
        let notice = client.notice().await;
        assert_eq!(notice["method"], "notifications/prompts/list_changed");
        server.notify().resources_changed();
        let notice = client.notice().await;
        assert_eq!(notice["method"], "notifications/resources/list_changed");
    }
}

#[tokio::test]
async fn nothing_is_told_before_the_client_is_ready() {
    let server = server();
    let mut client = Earlier::open(&server, Revision::V2025_06_18);
    let params = json!({
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "slow", "version": "1"},
    });
    client.request("initialize", params).await;
    server.notify().tools_changed();
    client.wire.assert_silent(MOMENT).await;
    client.notify("notifications/initialized", json!({})).await;
    client.request("ping", json!({})).await;
    server.notify().tools_changed();
    client.notice().await;
}

#[tokio::test]
async fn resources_that_were_subscribed_to() {
    for revision in Revision::LEGACY {
        let server = server();
        let mut client = Earlier::connect(&server, *revision, capabilities()).await;
        for uri in ["test://text", "test://item/%61"] {
            client
                .request("resources/subscribe", json!({"uri": uri}))
                .await;
        }
        server.notify().resource_updated("test://item/b");
        client.wire.assert_silent(MOMENT).await;
        // However it is spelled, it is told as the client wrote it.
        server.notify().resource_updated("test://item/a");
        let notice = client.notice().await;
        assert_eq!(notice["method"], "notifications/resources/updated");
        assert_eq!(notice["params"], json!({"uri": "test://item/%61"}));
        server.notify().resource_updated("test://text");
        assert_eq!(client.notice().await["params"]["uri"], "test://text");
        // Once is enough, also where it was subscribed to twice.
        client
            .request("resources/subscribe", json!({"uri": "test://text"}))
            .await;
        client
            .request("resources/unsubscribe", json!({"uri": "test://item/a"}))
            .await;
        server.notify().resource_updated("test://item/a");
        server.notify().resource_updated("test://text");
        assert_eq!(client.notice().await["params"]["uri"], "test://text");
        client.wire.assert_silent(MOMENT).await;
    }
}

#[tokio::test]
async fn a_session_listens_at_one_place_until_it_ends() {
    let server = server();
    let mut client = Earlier::connect(&server, Revision::V2025_11_25, capabilities()).await;
    for uri in ["test://text", "test://item/1", "test://item/2"] {
        client
            .request("resources/subscribe", json!({"uri": uri}))
            .await;
    }
    assert_eq!(server.notify().listening(), 1);
    client.wire.close_input().await;
    ended(&server).await;
    // So it does where the client begins anew.
    let mut client = connect_to(&server).await;
    let params = json!({
        "protocolVersion": "2025-03-26", "capabilities": {},
        "clientInfo": {"name": "again", "version": "1"},
    });
    client.request("initialize", params).await;
    ended(&server).await;
}

async fn connect_to(server: &Server) -> Earlier {
    let mut client = Earlier::connect(server, Revision::V2025_03_26, capabilities()).await;
    client.request("ping", json!({})).await;
    assert_eq!(server.notify().listening(), 1);
    client
}

async fn ended(server: &Server) {
    while server.notify().listening() > 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn sessions_take_no_place_from_subscriptions_of_today() {
    let server = Server::builder("small", "1")
        .max_subscriptions(1)
        .resources(resources())
        .build()
        .unwrap();
    let mut sessions = Vec::new();
    for _ in 0..3 {
        let mut client = Earlier::connect(&server, Revision::V2025_06_18, json!({})).await;
        let subscribed = client.request("resources/subscribe", json!({"uri": "test://text"}));
        assert_eq!(subscribed.await["result"], json!({}));
        sessions.push(client);
    }
    let mut today = Wire::open(&server);
    let filter = json!({"notifications": {"resourceSubscriptions": ["test://text"]}});
    today.begin("subscriptions/listen", filter.clone()).await;
    today.receive().await;
    let refused = today.request("subscriptions/listen", filter).await;
    assert_eq!(code(&refused), -32603);
    // Those that come after it hear of changes as well.
    sessions.push(Earlier::connect(&server, Revision::V2025_06_18, json!({})).await);
    sessions[3].request("ping", json!({})).await;
    server.notify().resources_changed();
    for client in &mut sessions {
        let told = client.notice().await;
        assert_eq!(told["method"], "notifications/resources/list_changed");
    }
}

#[tokio::test]
async fn subscriptions_of_today_stand_beside_it() {
    let server = server();
    let mut earlier = connect_to(&server).await;
    let mut today = Wire::open(&server);
    let filter = json!({"notifications": {"toolsListChanged": true}});
    today.begin("subscriptions/listen", filter).await;
    today.receive().await;
    server.notify().tools_changed();
    assert_eq!(
        today.receive().await["method"],
        "notifications/tools/list_changed"
    );
    let notice = earlier.notice().await;
    assert_eq!(notice["method"], "notifications/tools/list_changed");
    assert_eq!(notice.get("params"), None);
}
