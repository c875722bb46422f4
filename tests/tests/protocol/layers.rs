//! Layers around calls: their order, what they see, and the two of our own.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use mcp_server::prelude::*;
use mcp_server::testing::{BodyCount, TestHost};
use mcp_server::{CallLayer, ConcurrencyLimit, LayerFuture, Next, TimeLimit};
use mcp_tests::{
    official::call,
    wire::{Wire, code, text, tool_error},
};
use serde_json::json;
use tokio::sync::Notify;

use crate::open;

#[derive(Debug, Deserialize, JsonSchema, Form)]
struct Confirm {
    /// Check to go ahead.
    confirm: bool,
}

/// Asks.
#[tool]
async fn ask(#[elicit("Go on?")] answer: Elicit<Confirm>) -> String {
    format!("{answer:?}")
}

/// Does not ask.
#[tool]
async fn plain() -> &'static str {
    "plain"
}

/// Writes down what it sees.
struct Seen(&'static str, Arc<Mutex<Vec<String>>>);

impl CallLayer for Seen {
    fn call<'a>(&'a self, ctx: Context, next: Next<'a>) -> LayerFuture<'a> {
        Box::pin(async move {
            let note = |when: &str| {
                let (name, tool, round) = (self.0, ctx.name(), ctx.round());
                self.1
                    .lock()
                    .unwrap()
                    .push(format!("{name} {when} {tool} {round}"));
            };
            note("before");
            let result = next.run(ctx.clone()).await;
            note("after");
            result
        })
    }
}

#[tokio::test]
async fn layers_go_from_the_outside_in_and_see_tool_and_round() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let layer = |name| Seen(name, seen.clone());
    let server = Server::builder("shop", "1.0.0")
        .layer(layer("a"))
        .tools(tools![ask].layer(layer("c")).layer(layer("d")))
        .tools(tools![plain])
        .layer(layer("b"))
        .build()
        .unwrap();
    let host = TestHost::new(&server).decline("answer");
    call(&host, "ask", json!({})).await.assert_text("Decline");
    call(&host, "plain", json!({})).await.assert_text("plain");
    let mut expected = Vec::new();
    for round in [1, 2] {
        let names = ["a", "b", "c", "d"];
        expected.extend(names.map(|name| format!("{name} before ask {round}")));
        expected.extend(["d", "c", "b", "a"].map(|name| format!("{name} after ask {round}")));
    }
    for line in ["a before", "b before", "b after", "a after"] {
        expected.push(format!("{line} plain 1"));
    }
    assert_eq!(*seen.lock().unwrap(), expected);
}

/// A layer is for calls that are what they say: a bad state, an unknown tool or bad params do not reach it.
#[tokio::test]
async fn layers_are_behind_the_checks_of_the_protocol() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let server = Server::builder("shop", "1.0.0")
        .layer(Seen("a", seen.clone()))
        .tools(tools![ask])
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    let params = json!({"name": "ask", "arguments": {}, "requestState": "v1.AAAA"});
    assert_eq!(code(&wire.request("tools/call", params).await), -32602);
    assert_eq!(code(&wire.call("nobody", json!({})).await), -32602);
    let params = json!({"name": "ask", "arguments": {}, "inputResponses": []});
    assert_eq!(code(&wire.request("tools/call", params).await), -32602);
    assert_eq!(*seen.lock().unwrap(), Vec::<String>::new());
}

/// Lets nobody through.
struct Closed;

impl CallLayer for Closed {
    fn call<'a>(&'a self, _: Context, _: Next<'a>) -> LayerFuture<'a> {
        Box::pin(async { Err(ToolError::new("the shop is closed").into()) })
    }
}

#[tokio::test]
async fn a_layer_may_answer_by_itself() {
    let bodies = BodyCount::new();
    let server = Server::builder("shop", "1.0.0")
        .tools(tools![ask].layer(Closed))
        .tools(tools![plain])
        .layer(bodies.clone())
        .build()
        .unwrap();
    let host = TestHost::new(&server);
    let refused = call(&host, "ask", json!({})).await;
    refused.assert_tool_error("the shop is closed");
    refused.assert_asked([]);
    call(&host, "plain", json!({})).await.assert_text("plain");
    bodies.assert_ran("ask", 0);
}

/// Never ends.
#[tool]
async fn forever(dropped: State<Arc<Notify>>) -> String {
    struct Tell(Arc<Notify>);
    impl Drop for Tell {
        fn drop(&mut self) {
            self.0.notify_one();
        }
    }
    let _tell = Tell(Arc::clone(&dropped));
    std::future::pending().await
}

/// Has a limit of its own.
#[tool(timeout = "50ms")]
async fn impatient(ms: u64, ctx: Context) -> String {
    tokio::time::sleep(Duration::from_millis(ms)).await;
    ctx.name().to_owned()
}

#[tokio::test]
async fn a_call_over_its_time_limit_is_dropped_with_a_text_that_says_so() {
    let dropped = Arc::new(Notify::new());
    let server = Server::builder("shop", "1.0.0")
        .state(dropped.clone())
        .tools(tools![forever].layer(TimeLimit::new(Duration::from_millis(80))))
        .tools(tools![impatient])
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    let begin = Instant::now();
    let answer = wire.call("forever", json!({})).await;
    assert!(tool_error(&answer).contains("longer than 80ms"), "{answer}");
    assert!(begin.elapsed() >= Duration::from_millis(80));
    tokio::time::timeout(Duration::from_secs(5), dropped.notified())
        .await
        .unwrap();
    let answer = wire.call("impatient", json!({"ms": 10_000})).await;
    assert!(tool_error(&answer).contains("longer than 50ms"), "{answer}");
    assert_eq!(
        text(&wire.call("impatient", json!({"ms": 1})).await),
        "impatient"
    );
}

/// The clock runs while the server works, not while a person thinks.
#[tool(timeout = "100ms")]
async fn thoughtful(#[elicit("Go on?")] answer: Elicit<Confirm>) -> String {
    format!("{answer:?}")
}

#[tokio::test]
async fn a_person_may_take_longer_than_the_time_limit() {
    let mut wire = open(tools![thoughtful]);
    let asked = wire.call("thoughtful", json!({})).await;
    tokio::time::sleep(Duration::from_millis(250)).await;
    let answer = wire
        .retry(
            "thoughtful",
            json!({}),
            &asked,
            json!({"answer": {"action": "cancel"}}),
        )
        .await;
    assert_eq!(text(&answer), "Cancel");
}

/// Waits until it is let go.
#[tool]
async fn waits(go_on: State<Arc<Notify>>) -> &'static str {
    go_on.notified().await;
    "went on"
}

#[tokio::test]
async fn calls_over_the_concurrency_limit_are_refused_and_waiting_for_a_person_is_not_running() {
    let go_on = Arc::new(Notify::new());
    let server = Server::builder("shop", "1.0.0")
        .state(go_on.clone())
        .tools(tools![waits, ask, plain].layer(ConcurrencyLimit::new(1)))
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    wire.begin("tools/call", json!({"name": "waits"})).await;
    let refused = wire.call("plain", json!({})).await;
    assert!(
        tool_error(&refused).contains("1 calls are running already"),
        "{refused}"
    );
    go_on.notify_one();
    assert_eq!(text(&wire.receive().await), "went on");
    wire.call("ask", json!({})).await;
    assert_eq!(text(&wire.call("plain", json!({})).await), "plain");
    // A call that was taken back gives its place back.
    let id = wire.begin("tools/call", json!({"name": "waits"})).await;
    wire.cancel(id).await;
    for attempt in 0.. {
        let answer = wire.call("plain", json!({})).await;
        if answer["result"].get("isError").is_none() {
            break;
        }
        assert!(attempt < 50, "the place was not given back");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Remembers a secret of the server's.
#[tool]
async fn hold(ctx: Context) -> Outcome<String> {
    match ctx.request_state() {
        Some(state) => Outcome::Complete(format!("the tool has {state}")),
        None => Outcome::InputRequired(InputRequired::new().state("R-1")),
    }
}

/// Looks for the state before and after the tool runs.
struct Peek(Arc<Mutex<Vec<Option<String>>>>);

impl CallLayer for Peek {
    fn call<'a>(&'a self, ctx: Context, next: Next<'a>) -> LayerFuture<'a> {
        Box::pin(async move {
            self.0.lock().unwrap().push(ctx.request_state());
            let result = next.run(ctx.clone()).await;
            self.0.lock().unwrap().push(ctx.request_state());
            result
        })
    }
}

/// A layer knows that there was a state by the round, and never what is in it.
#[tokio::test]
async fn layers_do_not_see_the_content_of_the_state() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let server = Server::builder("shop", "1.0.0")
        .layer(Peek(seen.clone()))
        .tools(tools![hold])
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    let first = wire.call("hold", json!({})).await;
    let last = wire.retry("hold", json!({}), &first, json!({})).await;
    assert_eq!(text(&last), "the tool has R-1");
    assert_eq!(*seen.lock().unwrap(), [None, None, None, None]);
}

/// Panics before it has a future, inside of it, or behind the call.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Falls {
    First,
    Inside,
    Behind,
}

impl CallLayer for Falls {
    fn call<'a>(&'a self, ctx: Context, next: Next<'a>) -> LayerFuture<'a> {
        assert!(*self != Self::First, "at /srv/secret");
        Box::pin(async move {
            assert!(*self != Self::Inside, "at /srv/secret");
            let _ = next.run(ctx).await;
            panic!("at /srv/secret")
        })
    }
}

#[tokio::test]
async fn a_panic_in_a_layer_costs_one_call() {
    for falls in [Falls::First, Falls::Inside, Falls::Behind] {
        let server = Server::builder("shop", "1.0.0")
            .tools(tools![ask].layer(falls))
            .tools(tools![plain])
            .build()
            .unwrap();
        let mut wire = Wire::open(&server);
        for _ in 0..2 {
            let answer = wire.call("ask", json!({})).await;
            let error = tool_error(&answer);
            assert!(error.contains("the server's log has the reason"), "{error}");
            assert!(!error.contains("srv"), "{error}");
        }
        assert_eq!(text(&wire.call("plain", json!({})).await), "plain");
    }
}
