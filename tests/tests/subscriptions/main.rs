//! `subscriptions/listen`: what a client hears of changes, and how it ends. Every message goes over the wire.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod changes;
mod ending;
mod kinds;
mod many;
mod opening;
mod switching;
mod visible;

use mcp_server::{Builder, prelude::*};
use mcp_tests::wire::Wire;
use serde_json::{Value, json};

/// Gives back what it gets.
#[tool]
async fn echo(text: String) -> String {
    text
}

/// Takes its time.
#[tool]
async fn wait(ms: u64) -> String {
    tokio::time::sleep(std::time::Duration::from_millis(ms)).await;
    format!("waited for {ms}")
}

fn builder() -> Builder {
    Server::builder("subscriptions", "1.0.0").tools(tools![echo, wait])
}

fn server() -> Server {
    builder().build().unwrap()
}

const TOOLS_CHANGED: &str = "notifications/tools/list_changed";
const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

/// Which subscription a notification belongs to.
fn subscription(message: &Value) -> &Value {
    &message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"]
}

/// Opens a subscription and takes the acknowledgement.
async fn listen(wire: &mut Wire, notifications: Value) -> i64 {
    let id = wire
        .begin(
            "subscriptions/listen",
            json!({"notifications": notifications}),
        )
        .await;
    let message = wire.receive().await;
    assert_eq!(message["method"], ACKNOWLEDGED, "{message}");
    assert_eq!(subscription(&message), id, "{message}");
    id
}

/// The next message, which tells of a change to the list of tools.
async fn tools_changed(wire: &mut Wire, id: impl Into<Value>) {
    let message = wire.receive().await;
    assert_eq!(message["method"], TOOLS_CHANGED, "{message}");
    assert_eq!(*subscription(&message), id.into(), "{message}");
}

/// The end in good order: the result, and then the end of the stream.
async fn ended(wire: &mut Wire, id: i64) {
    let answer = wire.receive().await;
    result_of(&answer, id);
    let end = wire.receive().await;
    assert_eq!(end["method"], "notifications/cancelled", "{end}");
    assert_eq!(end["params"]["requestId"], id, "{end}");
    assert_eq!(*subscription(&end), id, "{end}");
}

fn result_of(answer: &Value, id: impl Into<Value>) {
    let id = id.into();
    assert_eq!(answer["id"], id, "{answer}");
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    let meta = &answer["result"]["_meta"];
    assert_eq!(
        meta["io.modelcontextprotocol/subscriptionId"], id,
        "{answer}"
    );
}

/// Waits until so many subscriptions are open.
async fn listening(server: &Server, count: usize) {
    let waited = tokio::time::timeout(std::time::Duration::from_secs(20), async {
        while server.notify().listening() != count {
            tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        }
    });
    if waited.await.is_err() {
        panic!("{} listen in place of {count}", server.notify().listening());
    }
}
