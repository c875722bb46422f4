//! The client that the official conformance suite runs: `conformance-client SERVER_URL`, with the scenario in
//! `MCP_CONFORMANCE_SCENARIO` and what some of them need in `MCP_CONFORMANCE_CONTEXT`. It ends with status 0
//! when everything went as it should.
//!
//! The suite judges by what its server saw. It covers the scenarios of revisions 2026-07-28 and 2025-11-25 that need no
//! authorization. Which of both a server speaks the client finds out.

use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use mcp_client::{Answer, Client, FormQuestion, HttpTransport, Kind, Round};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::time::timeout;

/// The suite waits for 30 seconds and then for as long as the process lives.
const PATIENCE: Duration = Duration::from_secs(25);

type Outcome = Result<(), Box<dyn Error>>;

#[tokio::main]
async fn main() -> ExitCode {
    match timeout(PATIENCE, run()).await {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
        Err(_) => {
            eprintln!("not done after {PATIENCE:?}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Outcome {
    let url = std::env::args().next_back().ok_or("no URL")?;
    let scenario = std::env::var("MCP_CONFORMANCE_SCENARIO")?;
    let client = Client::builder("conformance-client", env!("CARGO_PKG_VERSION"))
        .on_form(|question| async move { Ok(Answer::accept(filled_in(&question))?) })
        .declare(Kind::Sampling)
        .declare(Kind::Roots)
        .connect(HttpTransport::new(url))
        .await?;
    match scenario.as_str() {
        "tools_call" => tools_call(&client).await?,
        "initialize" | "request-metadata" | "json-schema-ref-no-deref" => {
            client.list_tools().await?;
        }
        "elicitation-sep1034-client-defaults" => {
            call(&client, "test_client_elicitation_defaults").await?
        }
        "sse-retry" => call(&client, "test_reconnection").await?,
        "http-standard-headers" => standard_headers(&client).await?,
        "http-custom-headers" => custom_headers(&client).await?,
        "http-invalid-tool-headers" => invalid_tool_headers(&client).await?,
        "json-schema-2020-12-preservation" => schema_preservation(&client).await?,
        "sep-2322-client-request-state" => request_state(&client).await?,
        other => return Err(format!("no such scenario here: {other}").into()),
    }
    client.close().await;
    Ok(())
}

/// A person who agrees to everything, and changes nothing that a form begins with.
fn filled_in(question: &FormQuestion) -> Map<String, Value> {
    let fields = question.schema.fields.iter();
    let mut form: Map<String, Value> = fields
        .filter_map(|field| Some((field.name.clone(), field.kind.default_value()?)))
        .collect();
    if question.schema.field("confirmed").is_some() {
        form.insert("confirmed".to_owned(), true.into());
    }
    form
}

async fn call(client: &Client, tool: &str) -> Outcome {
    let tools = client.list_tools().await?;
    if !tools.iter().any(|listed| listed.name == tool) {
        return Err(format!("{tool} is not listed").into());
    }
    let called = client.call_tool(tool, json!({})).await?;
    match called.is_error() {
        true => Err(called.text().into()),
        false => Ok(()),
    }
}

async fn tools_call(client: &Client) -> Outcome {
    client.list_tools().await?;
    client
        .call_tool("add_numbers", json!({ "a": 2, "b": 3 }))
        .await?;
    Ok(())
}

/// Every method that a client of this revision has.
async fn standard_headers(client: &Client) -> Outcome {
    for tool in client.list_tools().await? {
        client.call_tool(tool.name, json!({})).await?;
    }
    for resource in client.list_resources().await? {
        client.read_resource(resource.uri).await?;
    }
    for prompt in client.list_prompts().await? {
        client.get_prompt(prompt.name, ()).await?;
    }
    Ok(())
}

/// The calls that the suite wants to see, with every kind of value.
async fn custom_headers(client: &Client) -> Outcome {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Context {
        tool_calls: Vec<ToolCall>,
    }
    #[derive(Deserialize)]
    struct ToolCall {
        name: String,
        arguments: Map<String, Value>,
    }

    client.list_tools().await?;
    let context: Context = serde_json::from_str(&std::env::var("MCP_CONFORMANCE_CONTEXT")?)?;
    for call in context.tool_calls {
        client.call_tool(call.name, call.arguments).await?;
    }
    Ok(())
}

/// Calls all tools that the list has after the invalid ones were left out.
async fn invalid_tool_headers(client: &Client) -> Outcome {
    for tool in client.list_tools().await? {
        client
            .call_tool(tool.name, json!({ "region": "eu" }))
            .await?;
    }
    Ok(())
}

/// Sends a schema back as it was listed.
async fn schema_preservation(client: &Client) -> Outcome {
    let tools = client.list_tools().await?;
    let mut tools = tools.into_iter();
    let tool = tools.find(|tool| tool.name == "json_schema_2020_12_tool");
    let schema = tool
        .ok_or("the tool with the schema is not listed")?
        .input_schema;
    client
        .call_tool("json_schema_echo", json!({ "schema": schema }))
        .await?;
    Ok(())
}

/// Questions with and without a state, and another call between two rounds.
async fn request_state(client: &Client) -> Outcome {
    client.list_tools().await?;
    let session = client.session();
    let Round::InputRequired(mut paused) =
        session.call_tool("test_mrtr_echo_state", json!({})).await?
    else {
        return Err("it asks first".into());
    };
    client.call_tool("test_mrtr_unrelated", json!({})).await?;
    paused.answer("confirm", Answer::accept(json!({ "confirmed": true }))?)?;
    let Round::Complete(_) = paused.resume(&session).await? else {
        return Err("it asks once".into());
    };
    for tool in ["test_mrtr_no_state", "test_mrtr_no_result_type"] {
        client.call_tool(tool, json!({})).await?;
    }
    Ok(())
}
