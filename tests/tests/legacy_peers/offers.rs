//! Tools, prompts, resources and completions of servers with a handshake.

use mcp_client::Error;
use mcp_client::protocol::CompletionReference;
use serde_json::json;

use crate::support::{Peer, builder, over_all, over_sse};

over_all![tools, prompts_and_completions, resources, errors];
over_sse![prompts_and_completions,];

async fn tools(peer: Peer) {
    let client = peer.connect(builder()).await;
    let tools = client.list_tools().await.unwrap();
    assert_eq!(tools.len(), 14);
    let tool = tools
        .iter()
        .find(|tool| tool.name == "delete_note")
        .unwrap();
    assert_eq!(tool.input_schema["required"], json!(["note_id"]));
    let annotations = tool.annotations.as_ref().unwrap();
    assert_eq!(annotations.destructive_hint, Some(true));
    let call = client.call_tool("fail", json!({})).await.unwrap();
    assert!(call.is_error());
    assert!(call.text().ends_with("no such shelf"), "{}", call.text());
    client.close().await;
}

async fn prompts_and_completions(peer: Peer) {
    let client = peer.connect(builder()).await;
    let prompts = client.list_prompts().await.unwrap();
    let [prompt] = &prompts[..] else {
        panic!("expected one prompt: {prompts:?}");
    };
    let required: Vec<bool> = prompt
        .arguments
        .iter()
        .flatten()
        .map(|a| a.required == Some(true))
        .collect();
    assert_eq!(required, [true, false]);
    let got = client
        .get_prompt("review", json!({"text": "T", "tone": "stern"}))
        .await
        .unwrap();
    let message = serde_json::to_value(&got.messages[0].content).unwrap();
    assert_eq!(message["text"], "Review this in a stern tone: T");

    let review = || CompletionReference::prompt("review");
    let typed = client.complete(review(), "tone", "pl", ()).await.unwrap();
    assert_eq!(typed.values, ["plain", "playful"]);
    let others = json!({"text": "known"});
    let typed = client
        .complete(review(), "tone", "st", others)
        .await
        .unwrap();
    assert_eq!(typed.values, ["stern", "known"]);
    client.close().await;
}

async fn resources(peer: Peer) {
    let client = peer.connect(builder()).await;
    let resources = client.list_resources().await.unwrap();
    let mut uris: Vec<&str> = resources.iter().map(|r| r.uri.as_str()).collect();
    uris.sort_unstable();
    assert_eq!(uris, ["note://logo", "note://n-1"]);
    let templates = client.list_resource_templates().await.unwrap();
    assert_eq!(templates[0].uri_template, "note://{note_id}/title");
    let read = client.read_resource("note://n-1").await.unwrap();
    assert_eq!(read.contents[0].text(), Some("Milk, bread"));
    let read = client.read_resource("note://n-2/title").await.unwrap();
    assert_eq!(read.contents[0].text(), Some("Title of n-2"));
    let read = client.read_resource("note://logo").await.unwrap();
    let logo = serde_json::to_value(&read.contents[0]).unwrap();
    assert_eq!(
        (&logo["mimeType"], logo["text"].is_null()),
        (&json!("image/png"), true)
    );
    client.close().await;
}

async fn errors(peer: Peer) {
    let client = peer.connect(builder()).await;
    let error = client.read_resource("note://nowhere").await.unwrap_err();
    assert!(
        matches!(error, Error::Rpc(_) | Error::ResourceNotFound { .. }),
        "{error}"
    );
    let error = client.get_prompt("nothing", ()).await.unwrap_err();
    assert!(matches!(error, Error::Rpc(_)), "{error}");
    // Both SDKs leave an unknown tool to the model.
    let call = client.call_tool("nothing", json!({})).await.unwrap();
    assert!(call.is_error());
    client.close().await;
}
