//! Two readers of an error: the model gets what was meant for it, the log the rest. A panic costs one call.

use std::sync::Mutex;

use mcp_server::core::rpc::RpcError;
use mcp_server::prelude::*;
use mcp_server::testing::TestHost;
use mcp_tests::{
    official::call,
    wire::{Wire, code, text, tool_error},
};
use serde_json::json;

use crate::open;

/// Fails in a chosen way.
#[tool]
async fn fail(how: String) -> Result<String, ToolError> {
    Ok(match how.as_str() {
        "own" => return Err(ToolError::new("no such order; take one from find_order")),
        "foreign" => std::fs::read_to_string("/srv/secret/notes.db")?,
        "shown" => "x"
            .parse::<u8>()
            .map_err(|error| ToolError::from(error).show())?
            .to_string(),
        "protocol" => {
            return Err(ToolError::protocol(
                RpcError::invalid_params("`how` is worn out").with_data(json!({"how": how})),
            ));
        }
        _ => "did not fail".to_owned(),
    })
}

/// A reference under which the log tells what the model was not told.
fn reference(text: &str) -> &str {
    let reference = text.split_whitespace().last().unwrap();
    assert_eq!(reference.len(), 8, "{text}");
    assert!(
        reference.bytes().all(|byte| byte.is_ascii_hexdigit()),
        "{text}"
    );
    reference
}

#[tokio::test]
async fn what_a_model_sees_is_what_was_meant_for_it() {
    let mut wire = open(tools![fail]);
    let answer = wire.call("fail", json!({"how": "own"})).await;
    assert_eq!(
        tool_error(&answer),
        "no such order; take one from find_order"
    );
    let answer = wire.call("fail", json!({"how": "foreign"})).await;
    let first = tool_error(&answer).to_owned();
    assert!(
        !first.contains("srv") && !first.contains("No such file"),
        "{first}"
    );
    let answer = wire.call("fail", json!({"how": "foreign"})).await;
    assert_ne!(reference(&first), reference(tool_error(&answer)));
    let answer = wire.call("fail", json!({"how": "shown"})).await;
    assert_eq!(tool_error(&answer), "invalid digit found in string");
    let answer = wire.call("fail", json!({"how": "protocol"})).await;
    assert_eq!(code(&answer), -32602);
    assert_eq!(answer["error"]["message"], "`how` is worn out");
    assert_eq!(answer["error"]["data"], json!({"how": "protocol"}));
}

#[tokio::test]
async fn a_server_in_development_may_show_everything() {
    let server = Server::builder("shop", "1.0.0")
        .tools(tools![fail])
        .show_errors(true)
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    let answer = wire.call("fail", json!({"how": "foreign"})).await;
    assert!(tool_error(&answer).contains("No such file"), "{answer}");
}

#[derive(Debug, Deserialize, JsonSchema, Form)]
struct Confirm {
    /// Check to go ahead.
    confirm: bool,
}

/// Panics in its future.
#[tool]
async fn panics(shelf: State<Mutex<u32>>, hold: bool) -> String {
    let held = hold.then(|| shelf.lock().unwrap());
    panic!("at /srv/secret, holding {}", held.is_some());
}

/// Panics in its thread.
#[tool]
fn panics_sync(at: u32) -> String {
    panic!("at /srv/secret {at}");
}

/// Panics after it has waited.
#[tool]
async fn panics_later() -> String {
    tokio::task::yield_now().await;
    panic!("at /srv/secret");
}

/// Panics before it asks.
#[tool]
async fn panics_asking(#[resolve(broken())] answer: Resolve<Confirm>) -> String {
    answer.confirm.to_string()
}

fn broken() -> Ask<Confirm> {
    panic!("at /srv/secret")
}

/// Looks at the shelf.
#[tool]
async fn look(shelf: State<Mutex<u32>>) -> String {
    match shelf.lock() {
        Ok(shelf) => format!("{shelf}"),
        Err(_) => "poisoned".to_owned(),
    }
}

#[tokio::test]
async fn a_panic_is_an_error_without_its_text_and_the_server_goes_on() {
    let server = Server::builder("shop", "1.0.0")
        .state(Mutex::new(7u32))
        .tools(tools![
            panics,
            panics_sync,
            panics_later,
            panics_asking,
            look
        ])
        .build()
        .unwrap();
    let host = TestHost::new(&server).answer("answer", json!({"confirm": true}));
    for (tool, arguments) in [
        ("panics", json!({"hold": false})),
        ("panics_sync", json!({"at": 1})),
        ("panics_later", json!({})),
        ("panics_asking", json!({})),
        ("panics", json!({"hold": true})),
    ] {
        for _ in 0..2 {
            let failed = call(&host, tool, arguments.clone()).await;
            failed.assert_tool_error("the server's log has the reason");
            assert!(!failed.text().contains("srv"), "{}", failed.text());
        }
        let expected = if arguments["hold"] == true {
            "poisoned"
        } else {
            "7"
        };
        call(&host, "look", json!({})).await.assert_text(expected);
    }
}

/// A request that waits does not notice that another one has panicked.
#[tool]
async fn patient() -> &'static str {
    tokio::time::sleep(std::time::Duration::from_millis(150)).await;
    "waited"
}

#[tokio::test]
async fn a_panic_beside_a_waiting_call_does_not_touch_it() {
    let mut wire = open(tools![patient, panics_sync]);
    let waiting = wire.begin("tools/call", json!({"name": "patient"})).await;
    let panics = json!({"name": "panics_sync", "arguments": {"at": 1}});
    wire.begin("tools/call", panics).await;
    for _ in 0..2 {
        let answer = wire.receive().await;
        if answer["id"] == waiting {
            assert_eq!(text(&answer), "waited");
        } else {
            assert!(tool_error(&answer).contains("the tool failed"), "{answer}");
        }
    }
}

/// An error whose own text cannot be made.
#[derive(Debug)]
struct Unspeakable;

impl std::fmt::Display for Unspeakable {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        panic!("at /srv/secret")
    }
}

impl std::error::Error for Unspeakable {}

/// Fails at once or after it has waited, in a task of its own.
#[tool]
async fn fail_unspeakably(later: bool) -> Result<String, ToolError> {
    if later {
        tokio::task::yield_now().await;
    }
    Err(Unspeakable)?
}

/// Whether the text is made at all depends on who is to read it.
#[tokio::test]
async fn a_panic_in_the_text_of_an_error_costs_one_call() {
    for show in [false, true] {
        let server = Server::builder("shop", "1.0.0")
            .tools(tools![fail_unspeakably, fail])
            .show_errors(show)
            .build()
            .unwrap();
        let mut wire = Wire::open(&server);
        for later in [false, true, false] {
            let answer = wire.call("fail_unspeakably", json!({"later": later})).await;
            let said = match answer.get("error") {
                None => tool_error(&answer),
                Some(error) => {
                    assert_eq!(error["code"], -32603, "{answer}");
                    error["message"].as_str().unwrap()
                }
            };
            reference(said);
            assert!(!answer.to_string().contains("srv"), "{answer}");
        }
        let answer = wire.call("fail", json!({"how": "not at all"})).await;
        assert_eq!(text(&answer), "did not fail");
        wire.close_input().await;
        wire.served().await.unwrap();
    }
}
