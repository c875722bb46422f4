//! What the shop's tools ask, as a host sees it.

#![allow(clippy::unwrap_used)]

use mcp_client::{ChildProcess, Client, FormQuestion, InputRequest, Kind, Round};
use mcp_examples::shop::model::Quote;
use mcp_server::assert_provider_safe;
use serde_json::{Value, json};

async fn shop() -> Client {
    let server = ChildProcess::new(env!("CARGO_BIN_EXE_shop")).arg("--serve");
    let client = Client::builder("host", "1.0.0").connect(server).await;
    client.unwrap()
}

/// The one form that a tool asks for.
async fn form(client: &Client, tool: &str, arguments: Value) -> FormQuestion {
    let session = client.session().declare(Kind::Form);
    let Round::InputRequired(paused) = session.call_tool(tool, arguments).await.unwrap() else {
        panic!("{tool} does not ask");
    };
    let [InputRequest::Form(question)] = paused.requests() else {
        panic!("{tool} asks for {:?}", paused.requests());
    };
    question.clone()
}

#[tokio::test]
async fn a_refund_above_the_limit_needs_one_yes_or_no() {
    let client = shop().await;
    let quote = client.call_tool("quote_refund", json!({ "order_id": "O-2289" }));
    let quote: Quote = quote.await.unwrap().structured().unwrap();
    let question = form(&client, "issue_refund", json!({ "quote_id": quote.id })).await;
    assert_eq!(question.key, "confirm");
    assert_eq!(
        question.message,
        "Refund 180.00 on order O-2289? It is above the policy limit, so a lead must confirm it."
    );
    let mut schema = serde_json::to_value(&question.schema).unwrap();
    schema["properties"]["release"]
        .as_object_mut()
        .unwrap()
        .remove("description");
    let expected = json!({
        "type": "object",
        "properties": { "release": { "type": "boolean" } },
        "required": ["release"],
    });
    assert_eq!(schema, expected);
    client.close().await;
}

#[tokio::test]
async fn the_form_of_a_return_has_three_fields() {
    let client = shop().await;
    let arguments = json!({ "order_id": "O-1145", "sku": "KG-1043" });
    let question = form(&client, "record_return", arguments).await;
    let names: Vec<_> = question
        .schema
        .fields
        .iter()
        .map(|field| &*field.name)
        .collect();
    assert_eq!(names, ["reason", "restock", "note"]);
    assert_eq!(question.schema.required, ["reason", "restock"]);
    let schema = serde_json::to_value(&question.schema).unwrap();
    let reasons = json!([
        "damaged in transit",
        "wrong item sent",
        "missing part",
        "arrived late",
        "changed mind",
    ]);
    assert_eq!(schema["properties"]["reason"]["enum"], reasons);
    assert_eq!(schema["properties"]["restock"]["type"], "boolean");
    assert_eq!(schema["properties"]["note"]["maxLength"], 200);
    client.close().await;
}

#[tokio::test]
async fn an_article_that_is_not_in_the_order_bothers_nobody() {
    let client = shop().await;
    let session = client.session().declare(Kind::Form);
    let arguments = json!({ "order_id": "O-2289", "sku": "KG-1043" });
    let Round::Complete(call) = session.call_tool("record_return", arguments).await.unwrap() else {
        panic!("somebody was asked");
    };
    assert!(call.is_error());
    assert!(call.text().contains("KG-1043"), "{}", call.text());
    client.close().await;
}

#[tokio::test]
async fn every_schema_is_fit_for_every_host() {
    let client = shop().await;
    let tools = client.list_tools().await.unwrap();
    assert_eq!(tools.len(), 5);
    for tool in tools {
        assert_provider_safe(&tool.input_schema.into());
        if let Some(schema) = tool.output_schema {
            assert_provider_safe(&schema.into());
        }
    }
    client.close().await;
}
