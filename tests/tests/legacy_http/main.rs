//! Clients of earlier revisions over HTTP: real connections, with messages and headers written by hand.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod asking;
mod batches;
mod eras;
mod guards;
mod idle;
mod leaving;
mod listening;
mod old;
mod sessions;
mod sse;
mod streams;

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use mcp_server::prelude::*;
use mcp_tests::work::{Guard, Work, pay, reached, silent};

/// Sends the text back.
#[tool]
async fn echo(text: String) -> String {
    text
}

/// Reports, and is done.
#[tool]
async fn eager(ctx: Context) -> String {
    ctx.log(mcp_server::LoggingLevel::Info, "soon");
    "at once".to_owned()
}

/// Says something, waits for the gate, says something.
#[tool]
async fn gated(work: State<Work>, ctx: Context) -> String {
    let _guard = Guard(&work);
    ctx.log(mcp_server::LoggingLevel::Info, "before");
    work.begun.fetch_add(1, Ordering::SeqCst);
    work.gate.notified().await;
    ctx.log(mcp_server::LoggingLevel::Info, "after");
    work.done.fetch_add(1, Ordering::SeqCst);
    "through the gate".to_owned()
}

/// Lets its client go, and goes on.
#[tool]
async fn patient(work: State<Work>, ctx: Context) -> String {
    ctx.log(mcp_server::LoggingLevel::Info, "come again");
    ctx.close_stream();
    work.begun.fetch_add(1, Ordering::SeqCst);
    work.gate.notified().await;
    ctx.log(mcp_server::LoggingLevel::Info, "welcome back");
    work.done.fetch_add(1, Ordering::SeqCst);
    "at last".to_owned()
}

#[derive(Debug, Deserialize, JsonSchema, Form)]
struct Confirm {
    confirm: bool,
}

/// Needs a form.
#[tool]
async fn confirmed(#[elicit("Go on?")] answer: Elicit<Confirm>) -> String {
    match answer {
        Elicit::Accept(form) => format!("confirmed: {}", form.confirm),
        other => format!("{other:?}"),
    }
}

/// A page that changes.
#[resource("note://today", title = "Today")]
async fn today() -> &'static str {
    "nothing yet"
}

fn server_of(work: &Arc<Work>) -> mcp_server::Builder {
    Server::builder("shop", "1.0.0")
        .shared_state(work.clone())
        .tools(tools![echo, eager, gated, silent, patient, pay, confirmed])
        .resources(resources![today])
        .drain_grace(Duration::from_millis(300))
}

fn server() -> (Server, Arc<Work>) {
    let work = Arc::new(Work::default());
    (server_of(&work).build().unwrap(), work)
}
