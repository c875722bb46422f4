//! `#[complete(..)]` and `#[header(..)]`, seen by a client.

use mcp_client::Error;
use mcp_server::{Completing, Completion, RpcError, prelude::*};
use mcp_tests::guide::rounds;
use serde_json::{Value, json};

#[prompt]
async fn review(
    #[complete("Rust", "Python", "CPython")] language: String,
    #[complete(frameworks)] framework: Option<String>,
    note: String,
) -> String {
    format!("{language} {framework:?} {note}")
}

async fn frameworks(typing: Completing) -> Result<Vec<&'static str>, ToolError> {
    let known = match typing.argument("language") {
        Some("Python") => vec!["flask", "fastapi"],
        Some(_) => vec!["axum"],
        None => return Err(ToolError::new("say the language first")),
    };
    let fits = |name: &&str| name.starts_with(typing.value());
    Ok(known.into_iter().filter(fits).collect())
}

#[resource("note://{id}{?part}")]
async fn note(
    #[complete(ids)] id: u32,
    #[complete("head", "body")] part: Option<String>,
) -> String {
    format!("{id} {part:?}")
}

async fn ids(typing: Completing) -> Completion {
    let all = (0..250).map(|id| id.to_string());
    Completion {
        values: all.filter(|id| id.starts_with(typing.value())).collect(),
        total: Some(250),
        has_more: None,
    }
}

struct Shop;

#[prompt]
impl Shop {
    #[prompt]
    async fn order(&self, #[complete(Self::skus)] sku: &str) -> String {
        sku.to_owned()
    }

    async fn skus(_: Completing) -> Vec<String> {
        vec!["KG-1043".to_owned()]
    }
}

/// Runs a query where the data is.
#[tool(read_only)]
async fn query(
    #[header("Region")] region: &str,
    #[header("X-Limit")]
    #[serde(default)]
    limit: u32,
    sql: String,
) -> String {
    format!("{region} {limit} {sql}")
}

fn server() -> Server {
    Server::builder("tests", "1.0.0")
        .prompts(prompts![review])
        .prompts(Shop)
        .resources(resources![note])
        .tools(tools![query])
        .build()
        .unwrap()
}

async fn complete(params: Value) -> Result<Value, RpcError> {
    match rounds(&server(), "completion/complete", params, &json!({})).await {
        Ok(mut result) => Ok(result["completion"].take()),
        Err(Error::Rpc(error)) => Err(error),
        Err(other) => panic!("{other}"),
    }
}

async fn of_prompt(
    prompt: &str,
    argument: &str,
    value: &str,
    before: Value,
) -> Result<Value, RpcError> {
    complete(json!({
        "ref": { "type": "ref/prompt", "name": prompt },
        "argument": { "name": argument, "value": value },
        "context": { "arguments": before }
    }))
    .await
}

async fn of_note(argument: &str, value: &str) -> Value {
    let completed = complete(json!({
        "ref": { "type": "ref/resource", "uri": "note://{id}{?part}" },
        "argument": { "name": argument, "value": value }
    }));
    completed.await.unwrap()
}

#[tokio::test]
async fn a_list_is_filtered_by_what_was_typed() {
    let completed = of_prompt("review", "language", "py", json!({}))
        .await
        .unwrap();
    assert_eq!(completed["values"], json!(["Python", "CPython"]));
    let completed = of_prompt("review", "language", "zig", json!({}))
        .await
        .unwrap();
    assert_eq!(completed["values"], json!([]));
}

#[tokio::test]
async fn a_function_sees_the_arguments_before() {
    let before = json!({ "language": "Python" });
    let completed = of_prompt("review", "framework", "fl", before)
        .await
        .unwrap();
    assert_eq!(completed["values"], json!(["flask"]));
    let before = json!({ "language": "Rust" });
    let completed = of_prompt("review", "framework", "", before).await.unwrap();
    assert_eq!(completed["values"], json!(["axum"]));
    let error = of_prompt("review", "framework", "", json!({}))
        .await
        .unwrap_err();
    assert!(
        error.message.contains("say the language first"),
        "{error:?}"
    );
}

#[tokio::test]
async fn an_argument_without_completion_has_no_values() {
    let completed = of_prompt("review", "note", "a", json!({})).await.unwrap();
    assert_eq!(completed["values"], json!([]));
}

#[tokio::test]
async fn what_is_not_there_is_invalid() {
    for (prompt, argument) in [("review", "colour"), ("rewiev", "language")] {
        let error = of_prompt(prompt, argument, "", json!({}))
            .await
            .unwrap_err();
        assert_eq!(error.code, -32602, "{error:?}");
    }
}

#[tokio::test]
async fn variables_of_templates_are_completed() {
    assert_eq!(of_note("part", "b").await["values"], json!(["body"]));
    let completed = of_note("id", "24").await;
    let expected: Vec<String> = [24]
        .into_iter()
        .chain(240..250)
        .map(|id| id.to_string())
        .collect();
    assert_eq!(completed["values"], json!(expected));
    assert_eq!(completed["total"], 250);
}

#[tokio::test]
async fn at_most_a_hundred_values_are_sent() {
    let completed = of_note("id", "").await;
    assert_eq!(completed["values"].as_array().unwrap().len(), 100);
    assert_eq!(completed["hasMore"], true);
}

#[tokio::test]
async fn methods_complete_with_associated_functions() {
    let completed = of_prompt("order", "sku", "", json!({})).await.unwrap();
    assert_eq!(completed["values"], json!(["KG-1043"]));
}

#[tokio::test]
async fn headers_stand_in_the_schema() {
    // Specification: server/tools, x-mcp-header.
    let listed = rounds(&server(), "tools/list", json!({}), &json!({}))
        .await
        .unwrap();
    let properties = &listed["tools"][0]["inputSchema"]["properties"];
    assert_eq!(
        properties["region"],
        json!({ "type": "string", "x-mcp-header": "Region" })
    );
    assert_eq!(properties["limit"]["x-mcp-header"], "X-Limit");
    assert_eq!(properties["sql"].get("x-mcp-header"), None);
}

#[prompt]
async fn shaky(#[complete(falls)] word: String) -> String {
    word
}

async fn falls(_: Completing) -> Vec<String> {
    tokio::task::yield_now().await;
    panic!("at /srv/secret")
}

/// Also where it panics after it was first polled.
#[tokio::test]
async fn a_function_that_panics_costs_its_own_request_alone() {
    let server = Server::builder("tests", "1.0.0").prompts(prompts![shaky]);
    let mut wire = mcp_tests::wire::Wire::open(&server.build().unwrap());
    let params = json!({
        "ref": { "type": "ref/prompt", "name": "shaky" },
        "argument": { "name": "word", "value": "" }
    });
    for _ in 0..2 {
        let answer = wire.request("completion/complete", params.clone()).await;
        assert_eq!(answer["error"]["code"], -32603, "{answer}");
        assert!(!answer.to_string().contains("secret"), "{answer}");
    }
}
