//! The reference server `server-everything`, which declares its tools by what the client can do.

use mcp_client::protocol::LoggingLevel;
use mcp_client::{Change, Consent, Subscription};
use mcp_core::Revision;
use serde_json::json;
use tokio::time::timeout;

use crate::support::{
    PATIENCE, Peer, accept, builder, seen, with_a_model, with_forms, with_pages, with_roots,
};

macro_rules! over_both {
    ($($test:ident),* $(,)?) => {
        crate::support::over_all! { @ stdio Everything Stdio $($test)* }
        crate::support::over_all! { @ http Everything Http $($test)* }
    };
}

over_both![
    offers,
    a_form,
    a_page,
    model_and_directories,
    reports_and_changes
];

async fn offers(peer: Peer) {
    let client = peer.connect(builder()).await;
    assert_eq!(client.revision(), Revision::V2025_11_25);
    assert_eq!(client.server_info().unwrap().name, "mcp-servers/everything");
    let tools = client.list_tools().await.unwrap();
    assert!(
        tools
            .iter()
            .any(|tool| tool.name == "get-structured-content")
    );
    // What it offers to clients alone that can answer.
    assert!(
        !tools
            .iter()
            .any(|tool| tool.name == "trigger-elicitation-request")
    );
    let call = client
        .call_tool("echo", json!({"message": "hello"}))
        .await
        .unwrap();
    assert_eq!(call.text(), "Echo: hello");
    let call = client
        .call_tool("get-sum", json!({"a": 2, "b": 3}))
        .await
        .unwrap();
    assert!(call.text().contains('5'), "{}", call.text());
    let call = client
        .call_tool("get-structured-content", json!({"location": "Chicago"}))
        .await
        .unwrap();
    let weather: serde_json::Value = call.structured().unwrap();
    assert!(weather["temperature"].is_number(), "{weather}");

    assert!(client.list_prompts().await.unwrap().len() > 2);
    let got = client
        .get_prompt("args-prompt", json!({"city": "Oslo"}))
        .await
        .unwrap();
    let message = serde_json::to_value(&got.messages[0].content).unwrap();
    assert!(
        message["text"].as_str().unwrap().contains("Oslo"),
        "{message}"
    );
    let resources = client.list_resources().await.unwrap();
    let read = client
        .read_resource(resources[0].uri.as_str())
        .await
        .unwrap();
    assert!(!read.contents.is_empty());
    assert!(!client.list_resource_templates().await.unwrap().is_empty());
    client.close().await;
}

/// Its form has every kind of field that there is, with defaults.
async fn a_form(peer: Peer) {
    let (client, asked) = with_forms(|question| {
        assert!(question.schema.fields.len() > 10);
        accept(json!({"name": "Ada", "integer": 7, "titledSingleSelectEnum": "hero-2"}))
    });
    let client = peer.connect(client).await;
    client.list_tools().await.unwrap();
    let call = client
        .call_tool("trigger-elicitation-request", json!({}))
        .await
        .unwrap();
    assert!(call.text().contains("- Name: Ada"), "{}", call.text());
    assert!(
        call.text().contains("- Favorite Integer: 7"),
        "{}",
        call.text()
    );
    assert_eq!(seen(&asked).len(), 1);
    client.close().await;
}

async fn a_page(peer: Peer) {
    let (client, asked) = with_pages(Consent::Accept);
    let client = peer.connect(client).await;
    let page = json!({"url": "https://pay.example/connect", "message": "Please sign in."});
    let call = client
        .call_tool("trigger-url-elicitation", &page)
        .await
        .unwrap();
    assert!(call.text().contains("User completed"), "{}", call.text());
    assert_eq!(seen(&asked)[0].url, "https://pay.example/connect");
    client.close().await;
}

async fn model_and_directories(peer: Peer) {
    let client = peer.connect(with_roots(with_a_model(builder()))).await;
    let call = client
        .call_tool("trigger-sampling-request", json!({"prompt": "A slogan?"}))
        .await
        .unwrap();
    assert!(call.text().contains("It boils."), "{}", call.text());
    // It asks for the directories by itself, after a moment, and again where it has none.
    let call = client.call_tool("get-roots-list", json!({}));
    let call = timeout(PATIENCE, call).await.unwrap().unwrap();
    assert!(call.text().contains("file:///srv/a%20b"), "{}", call.text());
    client.close().await;
}

async fn reports_and_changes(peer: Peer) {
    let client = builder().on_log(LoggingLevel::Debug, |_| {});
    let client = peer.connect(client).await;
    let options = mcp_client::CallOptions::new().on_progress(|_| {});
    let arguments = json!({"duration": 0.2, "steps": 2});
    let call = client.call_tool_with("trigger-long-running-operation", arguments, options);
    assert!(call.await.unwrap().text().contains("completed"));

    let uri = "demo://resource/dynamic/text/1";
    let wanted = Subscription::new().resource(uri);
    let mut changes = client.subscribe(wanted).await.unwrap();
    client
        .call_tool("toggle-subscriber-updates", json!({}))
        .await
        .unwrap();
    let change = timeout(PATIENCE, changes.next()).await.unwrap();
    assert_eq!(change, Some(Change::Resource(uri.to_owned())));
    client.close().await;
}
