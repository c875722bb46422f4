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
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use http_body_util::Full;
use mcp_server::prelude::*;
use mcp_tests::{
    web::Site,
    work::{Guard, Work, forever, pay, reached, silent, spin},
};
use serde_json::{Value, json};

/// Sends the text back.
#[tool]
async fn echo(text: String) -> String {
    text
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
