//! Progress and log messages stand before the result of their call, however fast that is.

use mcp_server::{LoggingLevel, prelude::*};
use mcp_tests::wire::{Wire, text};
use serde_json::{Value, json};

use crate::open;

/// Reports and never waits.
#[tool]
async fn report(steps: Vec<f64>, ctx: Context) -> &'static str {
    for step in steps {
        ctx.progress(step);
    }
    ctx.log(LoggingLevel::Notice, "done");
    "reported"
}

/// Reports from another thread.
#[tool]
fn report_sync(steps: Vec<f64>, ctx: Context) -> &'static str {
    for step in steps {
        ctx.progress(step);
    }
    ctx.log(LoggingLevel::Notice, "done");
    "reported"
}

/// Goes on reporting after its call.
#[tool]
async fn report_late(ctx: Context) -> &'static str {
    ctx.progress(1.0);
    tokio::spawn(async move {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        ctx.progress(2.0);
        ctx.log(LoggingLevel::Emergency, "too late");
    });
    "reported"
}

async fn methods(wire: &mut Wire, id: i64) -> Vec<Value> {
    let mut seen = Vec::new();
    loop {
        let message = wire.receive().await;
        if message["id"] == id {
            assert_eq!(text(&message), "reported");
            return seen;
        }
        seen.push(message["method"].clone());
    }
}

fn wanting(tools: mcp_server::ToolSet) -> Wire {
    let mut wire = open(tools);
    wire.meta["progressToken"] = json!(0);
    wire.meta["io.modelcontextprotocol/logLevel"] = json!("debug");
    wire
}

#[tokio::test]
async fn what_a_call_sends_stands_before_its_result() {
    let mut wire = wanting(tools![report, report_sync]);
    for tool in ["report", "report_sync"] {
        for _ in 0..20 {
            let arguments = json!({"steps": [0, 0.5, 0.5, f64::MAX, 1]});
            let id = wire
                .begin("tools/call", json!({"name": tool, "arguments": arguments}))
                .await;
            assert_eq!(
                methods(&mut wire, id).await,
                [
                    "notifications/progress",
                    "notifications/progress",
                    "notifications/progress",
                    "notifications/message",
                ],
                "{tool}"
            );
        }
    }
}

#[tokio::test]
async fn nothing_follows_the_result() {
    let mut wire = wanting(tools![report_late]);
    let id = wire
        .begin("tools/call", json!({"name": "report_late"}))
        .await;
    assert_eq!(methods(&mut wire, id).await, ["notifications/progress"]);
    wire.assert_silent(std::time::Duration::from_millis(200))
        .await;
}

/// Requests that are joined in one read do not mix what they send.
#[tokio::test]
async fn joined_requests_keep_their_order() {
    let mut wire = wanting(tools![report]);
    let params = json!({"name": "report", "arguments": {"steps": [1]}, "_meta": wire.meta});
    let lines: String = (1..=3)
        .map(|id| {
            let request =
                json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
            format!("{request}\n")
        })
        .collect();
    wire.write(lines.as_bytes()).await;
    for id in 1..=3 {
        assert_eq!(
            methods(&mut wire, id).await,
            ["notifications/progress", "notifications/message"]
        );
    }
}

#[tokio::test]
async fn a_token_is_a_string_or_an_integer() {
    let mut wire = open(tools![report]);
    for token in [json!(1.5), json!({}), json!([1]), json!(true)] {
        wire.meta["progressToken"] = token.clone();
        let answer = wire.call("report", json!({"steps": [1]})).await;
        assert_eq!(mcp_tests::wire::code(&answer), -32602, "{token}");
    }
}
