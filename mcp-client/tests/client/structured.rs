//! Structured results and output schemas.

use mcp_client::{Client, Error, ToolCall};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{Fake, builder, call, connect, done};

/// Calls `t`, answers with `result` and, if the client wants to know, with the tools in `tools`.
async fn checked(tools: Value, result: Value) -> Result<ToolCall, Error> {
    let (client, mut fake) = connect(builder()).await;
    checked_on(&client, &mut fake, tools, result).await
}

async fn checked_on(
    client: &Client,
    fake: &mut Fake,
    tools: Value,
    result: Value,
) -> Result<ToolCall, Error> {
    let mut calling = call(client, "t", json!({}));
    let request = fake.request("tools/call").await;
    fake.reply(&request, result).await;
    loop {
        tokio::select! {
            finished = &mut calling => return finished.unwrap(),
            message = fake.next() => {
                let message = message.unwrap();
                assert_eq!(message["method"], "tools/list");
                fake.reply(&message, json!({"resultType": "complete", "tools": tools})).await;
            }
        }
    }
}

fn tool(output_schema: Value) -> Value {
    json!([{"name": "t", "inputSchema": {"type": "object"}, "outputSchema": output_schema}])
}

fn structured(value: Value) -> Value {
    json!({"resultType": "complete", "content": [{"type": "text", "text": "unrelated"}], "structuredContent": value})
}

#[tokio::test(start_paused = true)]
async fn a_result_becomes_a_value_of_the_users_type() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Quote {
        total: f64,
        currency: String,
    }
    let schema = json!({"type": "object", "properties": {"total": {"type": "number"}}, "required": ["total"]});
    let call = checked(
        tool(schema),
        structured(json!({"total": 180.0, "currency": "EUR"})),
    )
    .await
    .unwrap();
    assert_eq!(
        call.structured::<Quote>().unwrap(),
        Quote {
            total: 180.0,
            currency: "EUR".to_owned()
        }
    );
    let error = call.structured::<Vec<u8>>().unwrap_err();
    assert!(
        matches!(&error, Error::Decode { tool, .. } if tool == "t"),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_result_that_does_not_fit_the_schema_is_an_error_that_keeps_the_result() {
    let schema = json!({"type": "object", "properties": {"total": {"type": "number"}}});
    let error = checked(tool(schema), structured(json!({"total": "much"})))
        .await
        .unwrap_err();
    let Error::OutputSchema { tool, reason, call } = error else {
        panic!("{error}")
    };
    assert_eq!(tool, "t");
    assert!(reason.contains("/total"), "{reason}");
    assert_eq!(call.text(), "unrelated");
}

#[tokio::test(start_paused = true)]
async fn a_failed_tool_is_not_validated() {
    let schema = json!({"type": "object", "required": ["total"]});
    for content in [None, Some(json!({"wrong": true}))] {
        let mut result = json!({"resultType": "complete", "isError": true, "content": [{"type": "text", "text": "no"}]});
        if let Some(content) = content {
            result["structuredContent"] = content;
        }
        let call = checked(tool(schema.clone()), result).await.unwrap();
        assert!(call.is_error());
        assert_eq!(call.text(), "no");
    }
}

#[tokio::test(start_paused = true)]
async fn only_the_structured_content_is_checked() {
    // The schema forbids every member that the envelope has.
    let schema = json!({"type": "object", "additionalProperties": false, "properties": {"a": {}}});
    checked(tool(schema), structured(json!({"a": 1})))
        .await
        .unwrap();
}

#[tokio::test(start_paused = true)]
async fn null_is_a_structured_result() {
    let call = checked(
        tool(json!({"type": ["object", "null"]})),
        structured(json!(null)),
    )
    .await
    .unwrap();
    assert_eq!(call.structured::<Option<u8>>().unwrap(), None);
    let error = checked(tool(json!({"type": "object"})), structured(json!(null)))
        .await
        .unwrap_err();
    assert!(matches!(error, Error::OutputSchema { .. }), "{error}");
}

#[tokio::test(start_paused = true)]
async fn no_structured_result_is_not_a_null_one() {
    let call = checked(tool(json!({"type": "object"})), done("text only"))
        .await
        .unwrap();
    let error = call.structured::<Option<u8>>().unwrap_err();
    assert!(
        matches!(&error, Error::NoStructuredResult { tool } if tool == "t"),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_schema_that_cannot_be_used_affects_its_tool_alone() {
    for bad in [
        json!({"type": "nonsense"}),
        json!({"$ref": "https://schemas.example/other.json"}),
        json!({"$ref": "#/$defs/Missing"}),
        json!({"type": "string", "pattern": "("}),
        json!(true),
    ] {
        let (client, mut fake) = connect(builder()).await;
        let tools = json!([
            {"name": "bad", "inputSchema": {"type": "object"}, "outputSchema": bad},
            {"name": "t", "inputSchema": {"type": "object"}, "outputSchema": {"type": "integer"}},
        ]);
        checked_on(&client, &mut fake, tools, structured(json!(5)))
            .await
            .unwrap();
        let calling = call(&client, "bad", json!({}));
        let request = fake.request("tools/call").await;
        fake.reply(&request, structured(json!({}))).await;
        let error = calling.await.unwrap().unwrap_err();
        assert!(
            matches!(&error, Error::OutputSchema { tool, .. } if tool == "bad"),
            "{bad}: {error}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn the_list_is_fetched_once_for_all_calls() {
    let (client, mut fake) = connect(builder()).await;
    checked_on(
        &client,
        &mut fake,
        tool(json!({"type": "integer"})),
        structured(json!(5)),
    )
    .await
    .unwrap();
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    fake.reply(&request, structured(json!(6))).await;
    calling.await.unwrap().unwrap();
    fake.hears_nothing().await;
}

#[tokio::test(start_paused = true)]
async fn a_new_list_brings_new_schemas() {
    let (client, mut fake) = connect(builder()).await;
    checked_on(
        &client,
        &mut fake,
        tool(json!({"type": "integer"})),
        structured(json!(5)),
    )
    .await
    .unwrap();
    let listing = client.clone();
    let listing = tokio::spawn(async move { listing.list_tools().await });
    let request = fake.request("tools/list").await;
    fake.reply(&request, json!({"tools": tool(json!({"type": "string"}))}))
        .await;
    listing.await.unwrap().unwrap();
    let error = checked_on(&client, &mut fake, json!([]), structured(json!(5)))
        .await
        .unwrap_err();
    assert!(matches!(error, Error::OutputSchema { .. }), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_list_that_cannot_be_had_does_not_cost_the_result() {
    let (client, mut fake) = connect(builder()).await;
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    fake.reply(&request, structured(json!(5))).await;
    let list = fake.request("tools/list").await;
    fake.fail(&list, json!({"code": -32601, "message": "no lists here"}))
        .await;
    assert_eq!(
        calling.await.unwrap().unwrap().structured::<u8>().unwrap(),
        5
    );
}

#[tokio::test(start_paused = true)]
async fn a_list_that_does_not_come_costs_seconds_once() {
    let (client, mut fake) = connect(builder()).await;
    for round in 0..2 {
        let started = tokio::time::Instant::now();
        let calling = call(&client, "t", json!({}));
        let request = fake.request("tools/call").await;
        fake.reply(&request, structured(json!(5))).await;
        if round == 0 {
            let list = fake.request("tools/list").await;
            fake.cancellation_of(&list).await;
        }
        let finished = calling.await.unwrap().unwrap();
        assert_eq!(finished.structured::<u8>().unwrap(), 5);
        let expected = if round == 0 { 5 } else { 0 };
        assert_eq!(started.elapsed().as_secs(), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_host_may_do_without_validation() {
    let (client, mut fake) = connect(builder().without_output_validation()).await;
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    fake.reply(&request, structured(json!("anything"))).await;
    calling.await.unwrap().unwrap();
    fake.hears_nothing().await;
}
