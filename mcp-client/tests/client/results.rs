//! Result types, errors, and numbers.

use mcp_client::Error;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{answering, asks, builder, call, confirm, connect, done};

async fn outcome(result: Value) -> Result<mcp_client::ToolCall, Error> {
    let (client, mut fake) = connect(builder()).await;
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    fake.reply(&request, result).await;
    calling.await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn an_absent_type_is_complete() {
    let mut result = done("ok");
    result.as_object_mut().unwrap().remove("resultType");
    assert_eq!(outcome(result).await.unwrap().text(), "ok");
}

#[tokio::test(start_paused = true)]
async fn an_unknown_type_is_an_error_with_its_name() {
    for (written, shown) in [
        (json!("task"), "task"),
        (json!(5), "5"),
        (json!(null), "null"),
        (json!(""), "\"\""),
    ] {
        let mut result = done("ok");
        result["resultType"] = written;
        let error = outcome(result).await.unwrap_err();
        assert!(matches!(error, Error::UnknownResultType { .. }), "{error}");
        assert!(error.to_string().contains(shown), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn only_methods_that_may_ask_may_ask() {
    // Whatever is asked for: nothing at all, something declared, something undeclared, nonsense.
    for requests in [
        json!({}),
        json!({"a": confirm("?")}),
        json!({"a": {"method": "roots/list"}}),
        json!(5),
    ] {
        let (builder, shown) = answering(json!({"confirm": true}));
        let (client, mut fake) = connect(builder).await;
        let listing = tokio::spawn(async move { client.list_tools().await });
        let request = fake.request("tools/list").await;
        fake.reply(&request, asks(requests.clone(), json!("s")))
            .await;
        let error = listing.await.unwrap().unwrap_err();
        assert!(
            matches!(&error, Error::MayNotAsk { method } if method == "tools/list"),
            "{requests}: {error}"
        );
        // Nobody is asked, and the state is not echoed to anything.
        assert!(shown.lock().unwrap().is_empty());
        assert!(fake.next().await.is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn a_failed_tool_is_a_result() {
    let failed = outcome(json!({"resultType": "complete", "isError": true, "content": [{"type": "text", "text": "no such note"}]}))
        .await
        .unwrap();
    assert!(failed.is_error());
    assert_eq!(failed.text(), "no such note");
    let error = failed.structured::<Value>().unwrap_err();
    assert!(
        matches!(&error, Error::ToolFailed { text, .. } if text == "no such note"),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_protocol_error_keeps_code_message_and_data() {
    let (client, mut fake) = connect(builder()).await;
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    fake.fail(
        &request,
        json!({"code": -32602, "message": "Unknown tool: t", "data": {"x": 1}}),
    )
    .await;
    let error = calling.await.unwrap().unwrap_err();
    assert_eq!(error.code(), Some(-32602));
    let Error::Rpc(error) = error else {
        panic!("{error}")
    };
    assert_eq!(
        (&*error.message, error.data),
        ("Unknown tool: t", Some(json!({"x": 1})))
    );
}

#[tokio::test(start_paused = true)]
async fn a_missing_capability_is_named() {
    let (client, mut fake) = connect(builder()).await;
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    let data = json!({"requiredCapabilities": {"elicitation": {"form": {}}}});
    fake.fail(
        &request,
        json!({"code": -32021, "message": "no", "data": data}),
    )
    .await;
    let error = calling.await.unwrap().unwrap_err();
    assert_eq!(error.code(), Some(-32021));
    let Error::MissingCapability { required, .. } = error else {
        panic!("{error}")
    };
    assert_eq!(required, json!({"elicitation": {"form": {}}}));
}

#[tokio::test(start_paused = true)]
async fn a_result_of_the_wrong_form_is_invalid() {
    for result in [
        json!({"resultType": "complete"}),
        json!({"content": "text"}),
        json!([1]),
        json!(null),
    ] {
        let error = outcome(result.clone()).await.unwrap_err();
        assert!(
            matches!(error, Error::InvalidResult { .. }),
            "{result}: {error}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_with_a_broken_body_fails_its_call_instead_of_hanging_it() {
    let (client, mut fake) = connect(builder()).await;
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    fake.line(&json!({"jsonrpc": "2.0", "id": request["id"]}).to_string())
        .await;
    assert!(matches!(
        calling.await.unwrap(),
        Err(Error::InvalidResult { .. })
    ));
}

#[tokio::test(start_paused = true)]
async fn an_id_of_the_wrong_type_answers_nothing() {
    let (client, mut fake) = connect(builder()).await;
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    fake.line(
        &json!({"jsonrpc": "2.0", "id": request.id().to_string(), "result": done("wrong")})
            .to_string(),
    )
    .await;
    fake.reply(&request, done("right")).await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "right");
}

#[tokio::test(start_paused = true)]
async fn large_integers_are_exact_both_ways() {
    #[derive(Deserialize)]
    struct Ids {
        id: u64,
        wide: u128,
    }
    let (client, mut fake) = connect(builder().without_output_validation()).await;
    let calling = call(&client, "t", json!({"id": 9_007_199_254_740_993_u64}));
    let request = fake.request("tools/call").await;
    assert!(
        request.text.contains(r#"{"id":9007199254740993}"#),
        "{}",
        request.text
    );
    let wide = u128::MAX;
    fake.reply_raw(
        &request,
        &format!(
            r#"{{"content":[],"structuredContent":{{"id":18446744073709551615,"wide":{wide}}}}}"#
        ),
    )
    .await;
    let ids: Ids = calling.await.unwrap().unwrap().structured().unwrap();
    assert_eq!((ids.id, ids.wide), (u64::MAX, wide));
}

#[tokio::test(start_paused = true)]
async fn arguments_wider_than_64_bits_are_exact() {
    let (client, mut fake) = connect(builder()).await;
    let arguments: Box<serde_json::value::RawValue> =
        serde_json::from_str(r#"{"n":123456789012345678901234567890,"f":1.10}"#).unwrap();
    let _calling = call(&client, "t", arguments);
    let request = fake.request("tools/call").await;
    assert!(
        request
            .text
            .contains(r#"{"n":123456789012345678901234567890,"f":1.10}"#),
        "{}",
        request.text
    );
}
