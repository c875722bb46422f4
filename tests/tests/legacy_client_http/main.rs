//! Our client and our server over HTTP as earlier revisions have it: neither the functions nor the host can tell.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod every_revision;
mod line;
mod oldest;
mod sessions;
mod streams;

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU32, Ordering},
};
use std::time::Duration;

use mcp_client::{Answer, Client, HttpTransport};
use mcp_core::Revision;
use mcp_server::{LoggingLevel, Roots, Sampled, StreamableHttp, prelude::*};
use mcp_tests::{
    web::Site,
    work::{Guard, Work},
};
use serde_json::json;

use crate::line::Line;

/// Longer than anything takes that is not broken.
const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Debug, Clone, Deserialize, JsonSchema, Form)]
struct Confirm {
    /// Check to go ahead.
    confirm: bool,
}

/// A sum.
#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: i64,
}

/// Adds.
#[tool]
async fn add(a: i64, b: i64) -> Json<Sum> {
    Json(Sum { sum: a + b })
}

/// Says how far it is, and what it does.
#[tool]
async fn report(ctx: Context) -> &'static str {
    ctx.progress((1.0, 2.0));
    ctx.log(LoggingLevel::Debug, "in detail");
    ctx.log(LoggingLevel::Warning, "in general");
    ctx.progress((2.0, 2.0));
    "reported"
}

/// Asks before it goes on.
#[tool]
async fn confirm(what: String, #[elicit("Go on with {what}?")] answer: Elicit<Confirm>) -> String {
    match answer {
        Elicit::Accept(answer) => format!("{what}: {}", answer.confirm),
        _ => format!("{what}: no"),
    }
}

/// Has the client's model write a line.
#[tool]
async fn write_line(#[resolve(line())] line: Resolve<Sampled>) -> String {
    let content = serde_json::to_value(&line.0.content).unwrap();
    content["text"].as_str().unwrap_or_default().to_owned()
}

fn line() -> Ask<Sampled> {
    let params = json!({
        "messages": [{"role": "user", "content": {"type": "text", "text": "A line on eggs"}}],
        "maxTokens": 50,
    });
    Ask::sample(serde_json::from_value(params).unwrap())
}

/// Lists the client's roots.
#[tool]
async fn list_roots(#[resolve(Ask::roots())] roots: Resolve<Roots>) -> String {
    let uris = roots.roots.iter().map(|root| root.uri.to_string());
    uris.collect::<Vec<_>>().join(" ")
}

/// Reports, waits for the gate, reports.
#[tool]
async fn gated(work: State<Work>, ctx: Context) -> String {
    let _guard = Guard(&work);
    ctx.progress((1.0, 2.0));
    work.begun.fetch_add(1, Ordering::SeqCst);
    work.gate.notified().await;
    ctx.progress((2.0, 2.0));
    work.done.fetch_add(1, Ordering::SeqCst);
    "through the gate".to_owned()
}

/// A note.
#[resource("note://{id}")]
async fn note(id: u32) -> String {
    format!("note {id}")
}

/// A server, and what its tools do.
fn server() -> (Server, Arc<Work>) {
    let work = Arc::new(Work::default());
    let server = Server::builder("shop", "1.0.0")
        .shared_state(work.clone())
        .tools(tools![add, report, confirm, write_line, list_roots, gated])
        .resources(resources![note])
        .build()
        .unwrap();
    (server, work)
}

/// A server that listens, and the line to it.
async fn open(set: impl FnOnce(StreamableHttp) -> StreamableHttp) -> (Server, Arc<Work>, Line) {
    let (server, work) = server();
    let line = Line::to(serve(&server, set).await).await;
    (server, work, line)
}

async fn serve(
    server: &Server,
    set: impl FnOnce(StreamableHttp) -> StreamableHttp,
) -> std::net::SocketAddr {
    let site = Site::open(set(server.http())).await;
    site.address
}

/// A host that can do everything.
struct Host {
    client: Client,
    asked: Arc<AtomicU32>,
    logged: Arc<Mutex<Vec<String>>>,
}

async fn connect(line: &Line, revision: Revision) -> Host {
    let (asked, logged) = (Arc::new(AtomicU32::new(0)), Arc::<Mutex<Vec<_>>>::default());
    let (counts, logs) = (Arc::clone(&asked), Arc::clone(&logged));
    let client = Client::builder("host", "1.0.0")
        .revision(revision)
        .on_form(move |_| {
            counts.fetch_add(1, Ordering::SeqCst);
            async { Ok(Answer::accept(json!({"confirm": true}))?) }
        })
        .on_sampling(|_| async {
            let content = json!({"type": "text", "text": "Eggs are round"});
            let written = json!({"model": "m", "role": "assistant", "content": content});
            Ok(serde_json::from_value(written)?)
        })
        .on_roots(|_| async {
            Ok(serde_json::from_value(
                json!({"roots": [{"uri": "file:///home"}]}),
            )?)
        })
        .on_log(mcp_client::protocol::LoggingLevel::Info, move |message| {
            logs.lock()
                .unwrap()
                .push(message.data.as_str().unwrap_or_default().to_owned());
        })
        .connect(HttpTransport::new(line.url()))
        .await
        .unwrap();
    assert_eq!(client.revision(), revision);
    Host {
        client,
        asked,
        logged,
    }
}

/// Waits until something is so.
async fn until(is_so: impl Fn() -> bool) {
    let waiting = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, waiting)
        .await
        .expect("it never came to that");
}
