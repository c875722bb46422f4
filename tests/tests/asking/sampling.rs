//! Completions and lists of roots: deprecated in the protocol, still served.

use mcp_server::core::protocol::{CreateMessageRequestParams, SamplingMessage};
use mcp_server::prelude::*;
use mcp_server::testing::TestHost;
use mcp_server::{Roots, Sampled};
use mcp_tests::{
    official::call,
    wire::{Wire, asked, code},
};
use serde_json::{Value, json};

use crate::support::server;

/// Has the client's model write a line.
#[tool]
async fn write_line(topic: String, #[resolve(line(&topic))] line: Resolve<Sampled>) -> String {
    format!(
        "{} by {}",
        serde_json::to_value(&line.0.content).unwrap(),
        line.model
    )
}

fn line(topic: &str) -> Ask<Sampled> {
    let params = json!({
        "messages": [{"role": "user", "content": {"type": "text", "text": format!("A line on {topic}")}}],
        "maxTokens": 50,
    });
    Ask::sample(serde_json::from_value::<CreateMessageRequestParams>(params).unwrap())
}

/// Lists the client's roots.
#[tool]
async fn list_roots(#[resolve(Ask::roots())] roots: Resolve<Roots>) -> String {
    let uris: Vec<String> = roots
        .roots
        .iter()
        .map(|root| root.uri.to_string())
        .collect();
    uris.join(" ")
}

fn completion() -> Value {
    json!({"role": "assistant", "content": {"type": "text", "text": "Eggs are round."}, "model": "m-1"})
}

#[tokio::test]
async fn a_completion_reaches_the_tool() {
    let (server, bodies) = server(tools![write_line]);
    let host = TestHost::new(&server)
        .can_ask([Kind::Sampling])
        .respond("line", completion());
    let call = call(&host, "write_line", json!({"topic": "eggs"})).await;
    call.assert_text(r#"{"text":"Eggs are round.","type":"text"} by m-1"#);
    let request = serde_json::to_value(&call.question("line").request).unwrap();
    assert_eq!(request["method"], "sampling/createMessage");
    let asked: Vec<SamplingMessage> =
        serde_json::from_value(request["params"]["messages"].clone()).unwrap();
    assert_eq!(asked.len(), 1);
    assert_eq!(request["params"]["maxTokens"], 50);
    bodies.assert_ran("write_line", 1);
}

#[tokio::test]
async fn a_list_of_roots_reaches_the_tool() {
    let (server, _) = server(tools![list_roots]);
    let roots = json!({"roots": [{"uri": "file:///a"}, {"uri": "file:///b", "name": "b"}]});
    let host = TestHost::new(&server)
        .can_ask([Kind::Roots])
        .respond("roots", roots);
    call(&host, "list_roots", json!({}))
        .await
        .assert_text("file:///a file:///b");
}

#[tokio::test]
async fn both_need_their_capability() {
    let (server, bodies) = server(tools![write_line, list_roots]);
    let mut wire = Wire::open(&server);
    let answer = wire.call("write_line", json!({"topic": "eggs"})).await;
    assert_eq!(code(&answer), -32021);
    assert_eq!(
        answer["error"]["data"]["requiredCapabilities"],
        json!({"sampling": {}})
    );
    let answer = wire.call("list_roots", json!({})).await;
    assert_eq!(code(&answer), -32021);
    assert_eq!(
        answer["error"]["data"]["requiredCapabilities"],
        json!({"roots": {}})
    );
    bodies.assert_ran("write_line", 0);
}

/// Neither is an elicitation, and an answer to one of those does not pass for theirs.
#[tokio::test]
async fn answers_of_another_kind_are_refused() {
    let (server, _) = server(tools![write_line, list_roots]);
    let mut wire = Wire::open(&server);
    wire.declare(json!({"sampling": {}, "roots": {}}));
    let arguments = json!({"topic": "eggs"});
    let first = wire.call("write_line", arguments.clone()).await;
    assert_eq!(asked(&first), ["line"]);
    for response in [
        json!({"action": "decline"}),
        json!({"roots": []}),
        json!({}),
    ] {
        let answer = wire
            .retry(
                "write_line",
                arguments.clone(),
                &first,
                json!({"line": response}),
            )
            .await;
        assert_eq!(code(&answer), -32602, "{response}");
    }
    let first = wire.call("list_roots", json!({})).await;
    for response in [json!({"action": "accept", "content": {}}), completion()] {
        let answer = wire
            .retry("list_roots", json!({}), &first, json!({"roots": response}))
            .await;
        assert_eq!(code(&answer), -32602, "{response}");
    }
}

/// Lets the client's model use a tool.
#[tool]
async fn compute(ctx: Context, #[resolve(with_tools())] line: Resolve<Sampled>) -> String {
    line.model.clone()
}

fn with_tools() -> Ask<Sampled> {
    let params = json!({
        "messages": [{"role": "user", "content": {"type": "text", "text": "2 + 2?"}}],
        "maxTokens": 50,
        "tools": [{"name": "add", "inputSchema": {"type": "object"}}],
    });
    Ask::sample(serde_json::from_value(params).unwrap())
}

/// A client that completes messages need not be able to let its model use tools.
#[tokio::test]
async fn completions_with_tools_need_a_capability_of_their_own() {
    let (server, _) = server(tools![compute]);
    let mut wire = Wire::open(&server);
    for declared in [
        json!({"sampling": {}}),
        json!({"sampling": {"context": {}}}),
    ] {
        wire.declare(declared);
        let answer = wire.call("compute", json!({})).await;
        assert_eq!(code(&answer), -32021);
        assert_eq!(
            answer["error"]["data"]["requiredCapabilities"],
            json!({"sampling": {"tools": {}}})
        );
    }
    wire.declare(json!({"sampling": {"tools": {}}}));
    assert_eq!(asked(&wire.call("compute", json!({})).await), ["line"]);
}

/// Has two lines written, one after the other.
#[tool]
async fn write_two(
    #[resolve(line("eggs"))] one: Resolve<Sampled>,
    #[resolve(line(&one.model))] two: Resolve<Sampled>,
) -> String {
    format!("{} {}", one.model, two.model)
}

/// A model is not asked for the same again and again: it cannot be told what was wrong.
#[tokio::test]
async fn a_completion_that_cannot_be_remembered_ends_the_call_with_the_limit() {
    let (server, bodies) = server(tools![write_two]);
    let mut wire = Wire::open(&server);
    wire.declare(json!({"sampling": {}}));
    let first = wire.call("write_two", json!({})).await;
    assert_eq!(asked(&first), ["one"]);
    let mut long = completion();
    long["content"]["text"] = json!("x".repeat(40_000));
    let ended = wire
        .retry("write_two", json!({}), &first, json!({"one": long}))
        .await;
    let error = mcp_tests::wire::tool_error(&ended);
    assert!(
        error.contains("`one`") && error.contains("28672 bytes"),
        "{error}"
    );
    bodies.assert_ran("write_two", 0);
}
