//! What the client says that it has, as the server's functions and extensions see it.

use mcp_client::{Client, Error, Round};
use mcp_server::{Extension, RpcError, prelude::*};
use serde_json::{Value, json};

use crate::support::{connect, host};

const CHARTS: &str = "com.example/charts";

/// Shows how the year went.
#[tool(read_only)]
async fn chart(ctx: Context) -> String {
    match ctx.client_extension(CHARTS) {
        Some(settings) => format!("a chart of {}", settings["width"]),
        None => "January: 4".to_owned(),
    }
}

/// Lets the user draw.
#[tool]
async fn draw(ctx: Context) -> Result<&'static str, ToolError> {
    ctx.require_extension(CHARTS)?;
    Ok("<canvas>")
}

#[resource("chart://year")]
async fn year(ctx: Context) -> String {
    format!("{:?}", ctx.client_extension(CHARTS).is_some())
}

struct Charts;

impl Extension for Charts {
    fn name(&self) -> &str {
        CHARTS
    }

    fn methods(&self) -> &[&str] {
        &["charts/list"]
    }

    async fn request(&self, _: &str, _: Value, ctx: &Context) -> Result<Value, RpcError> {
        Ok(json!({ "width": ctx.client_extension(CHARTS).unwrap_or_default()["width"] }))
    }
}

async fn connected(has_charts: bool) -> Client {
    let server = Server::builder("charts", "1.0.0")
        .tools(tools![chart, draw])
        .resources(resources![year])
        .extension(Charts)
        .build()
        .unwrap();
    let builder = match has_charts {
        true => host().extension(CHARTS, json!({ "width": 800 })),
        false => host(),
    };
    connect(&server, builder).await.0
}

#[tokio::test]
async fn what_the_client_declares_the_server_sees() {
    let client = connected(true).await;
    let server = client.server().unwrap();
    let offered = server.capabilities.extensions.as_ref().unwrap();
    assert!(offered.contains_key(CHARTS));

    let chart = client.call_tool("chart", json!({})).await.unwrap();
    assert_eq!(chart.text(), "a chart of 800");
    let drawn = client.call_tool("draw", json!({})).await.unwrap();
    assert_eq!(drawn.text(), "<canvas>");
    let read = client.read_resource("chart://year").await.unwrap();
    assert!(serde_json::to_string(&read).unwrap().contains("true"));
    // A session says it too, and so do requests for the extension's own methods.
    let session = client.session().declare_only([]);
    let round = session.call_tool("chart", json!({})).await.unwrap();
    assert!(matches!(round, Round::Complete(call) if call.text() == "a chart of 800"));
    let listed = session.request("charts/list", json!({})).await.unwrap();
    let listed: Value = serde_json::from_str(listed.get()).unwrap();
    assert_eq!(listed["width"], 800);
}

#[tokio::test]
async fn what_it_does_not_declare_it_does_not_have() {
    let client = connected(false).await;
    let chart = client.call_tool("chart", json!({})).await.unwrap();
    assert_eq!(chart.text(), "January: 4");
    let drawn = client.call_tool("draw", json!({})).await.unwrap_err();
    let asked = client.session().request("charts/list", json!({})).await;
    for error in [drawn, asked.unwrap_err()] {
        assert_eq!(error.code(), Some(-32021));
        let Error::MissingCapability { required, .. } = &error else {
            panic!("{error}")
        };
        assert_eq!(required["extensions"], json!({ CHARTS: {} }), "{error}");
    }
}
