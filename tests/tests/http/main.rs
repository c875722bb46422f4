//! Serving over Streamable HTTP: real connections to a real listener, and calls of the service itself.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod embedded;
mod forms;
mod headers;
mod hosts;
mod leaving;
mod limits;
mod messages;
mod serving;
mod subscriptions;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use http_body_util::Full;
use mcp_server::prelude::*;
use mcp_tests::web::Site;
use serde_json::{Value, json};
use tokio::sync::Notify;

/// What the tools do, as a test sees it.
#[derive(Default)]
struct Work {
    begun: AtomicU32,
    dropped: AtomicU32,
    done: AtomicU32,
    /// Lets `gated` go on.
    gate: Notify,
}

/// Counts when it is dropped.
struct Guard<'a>(&'a Work);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.0.dropped.fetch_add(1, Ordering::SeqCst);
    }
}

/// Sends the text back.
#[tool]
async fn echo(text: String) -> String {
    text
}

/// Waits for ever.
#[tool]
async fn forever(work: State<Work>) -> String {
    let _guard = Guard(&work);
    work.begun.fetch_add(1, Ordering::SeqCst);
    std::future::pending().await
}

/// Reports, waits for the gate, reports.
#[tool]
async fn gated(work: State<Work>, ctx: Context) -> String {
    let _guard = Guard(&work);
    work.begun.fetch_add(1, Ordering::SeqCst);
    ctx.progress((1.0, 2.0));
    work.gate.notified().await;
    ctx.log(mcp_server::LoggingLevel::Info, "half\nway");
    ctx.progress((2.0, 2.0));
    work.done.fetch_add(1, Ordering::SeqCst);
    "through\nthe gate".to_owned()
}

/// Reports, and is done.
#[tool]
async fn eager(ctx: Context) -> String {
    ctx.progress(1.0);
    "at once".to_owned()
}

/// Waits for the gate without a word.
#[tool]
async fn silent(work: State<Work>) -> String {
    let _guard = Guard(&work);
    work.begun.fetch_add(1, Ordering::SeqCst);
    work.gate.notified().await;
    "said at last".to_owned()
}

/// Has an effect that must not be broken off.
#[tool]
async fn pay(order: String, work: State<Work>, ctx: Context) -> Result<String, ToolError> {
    ctx.claim(&order).await?;
    work.begun.fetch_add(1, Ordering::SeqCst);
    work.gate.notified().await;
    work.done.fetch_add(1, Ordering::SeqCst);
    Ok(format!("{order} paid"))
}

/// Works on its thread until it is told to end.
#[tool]
fn spin(work: State<Work>, ctx: Context) -> String {
    work.begun.fetch_add(1, Ordering::SeqCst);
    for _ in 0..2000 {
        if ctx.is_cancelled() {
            work.done.fetch_add(1, Ordering::SeqCst);
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    "ended".to_owned()
}

#[derive(Debug, Deserialize, JsonSchema, Form)]
#[expect(dead_code, reason = "only Debug reads it")]
struct Confirm {
    confirm: bool,
}

/// Needs a form.
#[tool]
async fn confirmed(#[elicit("Go on?")] answer: Elicit<Confirm>) -> String {
    format!("{answer:?}")
}

fn server_of(work: &Arc<Work>) -> mcp_server::Builder {
    Server::builder("shop", "1.0.0")
        .shared_state(work.clone())
        .tools(tools![
            echo, forever, gated, eager, silent, pay, spin, confirmed
        ])
        .drain_grace(Duration::from_millis(300))
}

fn server() -> (Server, Arc<Work>) {
    let work = Arc::new(Work::default());
    (server_of(&work).build().unwrap(), work)
}

/// The server, listening.
async fn open() -> (Site, Arc<Work>) {
    let (server, work) = server();
    (Site::open(server.http()).await, work)
}

/// Waits until the count is there.
async fn reached(count: &AtomicU32, expected: u32) {
    for _ in 0..1000 {
        if count.load(Ordering::SeqCst) == expected {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{} in place of {expected}", count.load(Ordering::SeqCst));
}

/// The `_meta` of a request, with changes.
fn meta(change: impl FnOnce(&mut serde_json::Map<String, Value>)) -> Value {
    let mut meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    change(meta.as_object_mut().unwrap());
    meta
}

/// A connection of HTTP/2.
async fn http2(site: &Site) -> hyper::client::conn::http2::SendRequest<Full<bytes::Bytes>> {
    let stream = tokio::net::TcpStream::connect(site.address).await.unwrap();
    let executor = hyper_util::rt::TokioExecutor::new();
    let io = hyper_util::rt::TokioIo::new(stream);
    let (client, connection) = hyper::client::conn::http2::handshake(executor, io)
        .await
        .unwrap();
    tokio::spawn(connection);
    client
}

fn http2_call(
    site: &Site,
    tool: &str,
    arguments: Value,
    form: &str,
) -> http::Request<Full<bytes::Bytes>> {
    let message = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
        "name": tool, "arguments": arguments, "_meta": meta(|_| ()),
    }});
    http::Request::post(format!("http://{}/mcp", site.address))
        .header("content-type", "application/json")
        .header("accept", form)
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", tool)
        .body(Full::new(message.to_string().into()))
        .unwrap()
}
