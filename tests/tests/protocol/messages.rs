//! Messages that are not what they should be: whom to tell, and that the next one is served.

use std::time::Duration;

use mcp_server::prelude::*;
use mcp_tests::wire::{Wire, code, text};
use serde_json::{Value, json};

use crate::{open, promises::Dice};

/// Waits, then gives back what it got.
#[tool]
async fn later(text: String, ms: u64) -> String {
    tokio::time::sleep(Duration::from_millis(ms)).await;
    text
}

/// Gives back what it gets.
#[tool]
async fn echo(text: String) -> String {
    text
}

async fn assert_alive(wire: &mut Wire) {
    let answer = wire.call("echo", json!({"text": "on"})).await;
    assert_eq!(text(&answer), "on");
}

async fn said(wire: &mut Wire, line: &str) -> Value {
    wire.write(format!("{line}\n").as_bytes()).await;
    wire.receive().await
}

/// Strings and integers of any size come back with their type and value; a request that is on its way under `7` is
/// another one than that under `"7"`.
#[tokio::test]
async fn ids_come_back_as_they_came() {
    let mut wire = open(tools![later]);
    let ids = [
        "0",
        "-1",
        "7",
        "\"7\"",
        "9007199254740993",
        "-9223372036854775808",
        "18446744073709551615",
        "\"\"",
        "\"é\"",
        "\"a\\n\\u0000\"",
    ];
    let meta = wire.meta.to_string();
    for id in ids {
        let arguments = json!({"text": id, "ms": 50});
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"later","arguments":{arguments},"_meta":{meta}}}}}"#
        );
        wire.write(format!("{line}\n").as_bytes()).await;
    }
    for _ in ids {
        let line = wire.line().await.unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        let id = text(&answer);
        let given: Value = serde_json::from_str(id).unwrap();
        assert_eq!(answer["id"], given);
        // Numbers are compared as text too: no digit may be lost.
        assert!(
            line.contains(&format!("\"id\":{id}")) || id.starts_with('"'),
            "{line}"
        );
    }
}

#[tokio::test]
async fn what_is_no_id_is_refused_without_one() {
    let mut wire = open(tools![echo]);
    for id in [
        "1.5",
        "null",
        "true",
        "{}",
        "[1]",
        "1e3",
        "-",
        r#""\ud800""#,
        r#""a\udfff""#,
    ] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"server/discover"}}"#);
        let answer = said(&mut wire, &line).await;
        let expected = if id == "-" { -32700 } else { -32600 };
        assert_eq!(code(&answer), expected, "{id}");
        assert_eq!(answer.get("id"), None, "{id}");
    }
    assert_alive(&mut wire).await;
}

/// JSON has escapes that are no character; no message with one ends the connection.
#[tokio::test]
async fn an_id_that_is_no_text_names_no_request() {
    let mut wire = open(tools![echo, later]);
    wire.write(
        br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"\ud800"}}
"#,
    )
    .await;
    assert_alive(&mut wire).await;
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":"\ud800","method":"tools/call","params":{{"name":"later","arguments":{{"text":"x","ms":10}},"_meta":{}}}}}"#,
        wire.meta
    );
    let answer = said(&mut wire, &line).await;
    assert_eq!((code(&answer), answer.get("id")), (-32600, None));
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo","arguments":{{"text":"x"}},"_meta":{}}}}}"#,
        wire.meta
            .to_string()
            .replacen('{', r#"{"progressToken":"\ud800","#, 1)
    );
    assert_eq!(code(&said(&mut wire, &line).await), -32602);
    assert_alive(&mut wire).await;
}

/// What is read by names is not read by position, although serde would: neither a message nor a part of one.
#[tokio::test]
async fn arrays_do_not_pass_for_objects() {
    let mut wire = open(tools![echo]);
    let meta = wire.meta.clone();
    let params = json!({"name": "echo", "arguments": {"text": "x"}, "_meta": meta});
    let line = json!(["2.0", 1, "tools/call", params, null, null]);
    let answer = said(&mut wire, &line.to_string()).await;
    assert_eq!((code(&answer), answer.get("id")), (-32600, None));
    let by_position = json!([meta, "echo", {"text": "x"}, null, {}, null, null, null]);
    let line = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": by_position});
    let answer = said(&mut wire, &line.to_string()).await;
    assert_eq!(code(&answer), -32602, "params");
    let client = json!({"name": "wire", "version": "1.0.0"});
    let mut by_position = params.clone();
    by_position["_meta"] = json!(["2026-07-28", client, {}, null, null]);
    let answer = wire.request("tools/call", by_position).await;
    assert_eq!(code(&answer), -32602, "_meta");
    for (member, value) in [
        ("clientInfo", json!(["wire", "1.0.0"])),
        ("clientCapabilities", json!([null, null, null])),
        ("clientCapabilities", json!({"elicitation": [{}, {}]})),
        ("clientCapabilities", json!({"elicitation": {"form": []}})),
        ("clientCapabilities", json!({"elicitation": {"url": true}})),
        ("clientCapabilities", json!({"sampling": [{}]})),
        ("clientCapabilities", json!({"sampling": {"tools": 1}})),
        ("clientCapabilities", json!({"roots": []})),
    ] {
        let mut params = params.clone();
        params["_meta"][format!("io.modelcontextprotocol/{member}")] = value.clone();
        let answer = wire.request("tools/call", params).await;
        assert_eq!(code(&answer), -32602, "{member}: {value}");
    }
    assert_alive(&mut wire).await;
}

/// One answer at most to a line that cannot be read, without an id; what can be read of one is told to its sender.
#[tokio::test]
async fn a_bad_line_costs_one_message_and_the_server_goes_on() {
    let mut wire = open(tools![echo]);
    for (line, expected, id) in [
        ("oops", -32700, None),
        ("{", -32700, None),
        ("\u{1}", -32700, None),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"server/discover""#,
            -32700,
            None,
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":5}"#,
            -32600,
            Some(json!(7)),
        ),
        (r#"{"id":7,"method":"tools/list"}"#, -32600, Some(json!(7))),
        (
            r#"{"jsonrpc":"1.0","id":"a","method":"tools/list"}"#,
            -32600,
            Some(json!("a")),
        ),
        (r#"{"jsonrpc":"2.0","id":7}"#, -32600, Some(json!(7))),
        ("7", -32600, None),
        ("\"x\"", -32600, None),
        ("null", -32600, None),
        ("{}", -32600, None),
    ] {
        let answer = said(&mut wire, line).await;
        assert_eq!(code(&answer), expected, "{line}");
        assert_eq!(answer.get("id"), id.as_ref(), "{line}");
        assert!(
            !answer.to_string().contains("oops"),
            "the message was repeated: {answer}"
        );
        assert_alive(&mut wire).await;
    }
    wire.write(b"\xff\xfe{}\n").await;
    assert_eq!(code(&wire.receive().await), -32700);
    assert_alive(&mut wire).await;
}

/// Nothing of a batch is carried out.
#[tokio::test]
async fn batches_are_refused_as_a_whole() {
    let mut wire = open(tools![echo]);
    let request = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "echo", "arguments": {"text": "x"}, "_meta": wire.meta},
    });
    let notification =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    for batch in [
        json!([]),
        json!([request]),
        json!([notification]),
        json!([request, request]),
    ] {
        let answer = said(&mut wire, &batch.to_string()).await;
        assert_eq!(code(&answer), -32600, "{batch}");
        assert_eq!(answer.get("id"), None);
        wire.assert_silent(Duration::from_millis(30)).await;
    }
    assert_alive(&mut wire).await;
}

/// Notifications are never answered, be they unknown or malformed, and neither are responses: this server asks nothing.
#[tokio::test]
async fn notifications_and_responses_are_not_answered() {
    let mut wire = open(tools![echo]);
    for message in [
        json!({"jsonrpc": "2.0", "method": "notifications/unknown"}),
        json!({"jsonrpc": "2.0", "method": "notifications/unknown", "params": {"a": [1]}}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": [1]}}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": []}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": 7}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "echo"}}),
        json!({"jsonrpc": "2.0", "id": 1, "result": {}}),
        json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -1, "message": "no"}}),
        json!({"jsonrpc": "2.0", "error": {"code": -1, "message": "no"}}),
    ] {
        wire.send(&message).await;
        wire.assert_silent(Duration::from_millis(20)).await;
        assert_alive(&mut wire).await;
    }
}

/// While a request waits its id is taken: an answer must say which of two it is for.
#[tokio::test]
async fn an_id_that_is_in_use_is_refused() {
    let mut wire = open(tools![later]);
    let params =
        json!({"name": "later", "arguments": {"text": "x", "ms": 600}, "_meta": wire.meta});
    let message = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": params});
    wire.send(&message).await;
    wire.send(&message).await;
    let refused = wire.receive().await;
    assert_eq!(code(&refused), -32600);
    assert_eq!(text(&wire.receive().await), "x");
    // Afterwards it is free.
    wire.send(&message).await;
    assert_eq!(text(&wire.receive().await), "x");
}

#[tokio::test]
async fn unknown_methods_and_tools() {
    let mut wire = open(tools![echo]);
    for method in [
        "tools/cal",
        "prompts/list",
        "resources/read",
        "ping",
        "logging/setLevel",
        "",
        "é",
    ] {
        let answer = wire.request(method, json!({})).await;
        assert_eq!(code(&answer), -32601, "{method}");
    }
    for name in ["ech", "Echo", "", "echo "] {
        let answer = wire.call(name, json!({})).await;
        assert_eq!(code(&answer), -32602, "{name}");
        assert!(
            answer["error"]["message"]
                .as_str()
                .unwrap()
                .contains("unknown tool")
        );
    }
    for params in [json!({}), json!({"name": 7}), json!({"name": null})] {
        let answer = wire.request("tools/call", params.clone()).await;
        assert_eq!(code(&answer), -32602, "{params}");
        assert!(
            answer["error"]["message"]
                .as_str()
                .unwrap()
                .contains("`name`"),
            "{answer}"
        );
    }
    let long = "x".repeat(1_000_000);
    let answer = wire.call(&long, json!({})).await;
    assert!(
        answer.to_string().len() < 1000,
        "the name was repeated in full"
    );
}

/// The limit of a message is the operator's to set, and is named in the error.
#[tokio::test]
async fn the_longest_message_can_be_set() {
    let server = Server::builder("shop", "1.0.0")
        .tools(tools![echo])
        .max_message_bytes(2000)
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    let answer = wire.call("echo", json!({"text": "x".repeat(1000)})).await;
    assert_eq!(text(&answer).len(), 1000);
    wire.begin(
        "tools/call",
        json!({"name": "echo", "arguments": {"text": "x".repeat(3000)}}),
    )
    .await;
    let error = wire.receive().await;
    assert_eq!(code(&error), -32600);
    assert!(
        error["error"]["message"]
            .as_str()
            .unwrap()
            .contains("2000 bytes"),
        "{error}"
    );
    assert_alive(&mut wire).await;
}

/// Many calls at once, on several threads, some that wait and some that do not: each is answered once.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_calls_in_flight_are_each_answered_once() {
    let mut wire = open(tools![echo, later]);
    let mut expected = std::collections::HashMap::new();
    for round in 0..40 {
        for call in 0..50 {
            let said = format!("{round} {call}");
            let params = match call % 3 {
                0 => json!({"name": "later", "arguments": {"text": said, "ms": call % 7}}),
                _ => json!({"name": "echo", "arguments": {"text": said}}),
            };
            expected.insert(wire.begin("tools/call", params).await, said);
        }
        // Some are answered while others are sent.
        for _ in 0..40 {
            let answer = wire.receive().await;
            let said = expected.remove(&answer["id"].as_i64().unwrap()).unwrap();
            assert_eq!(text(&answer), said);
        }
    }
    while !expected.is_empty() {
        let answer = wire.receive().await;
        let said = expected.remove(&answer["id"].as_i64().unwrap()).unwrap();
        assert_eq!(text(&answer), said);
    }
    wire.assert_silent(Duration::from_millis(100)).await;
}

/// Tells what it knows of its call.
#[tool]
async fn who(ctx: Context) -> String {
    let client = ctx.client_info().map(|client| client.name);
    let trace = ctx.meta()["example.com/trace"].clone();
    format!(
        "{client:?} {} {trace} {:?} {}",
        ctx.revision().as_str(),
        ctx.principal(),
        ctx.name()
    )
}

#[tokio::test]
async fn a_call_knows_its_client_and_what_came_with_it() {
    let mut wire = open(tools![who]);
    wire.meta["example.com/trace"] = json!({"id": [1]});
    let answer = wire.call("who", json!({})).await;
    assert_eq!(
        text(&answer),
        r#"Some("wire") 2026-07-28 {"id":[1]} Local who"#
    );
    // A client need not say its name.
    wire.meta
        .as_object_mut()
        .unwrap()
        .remove("io.modelcontextprotocol/clientInfo");
    let answer = wire.call("who", json!({})).await;
    assert_eq!(text(&answer), r#"None 2026-07-28 {"id":[1]} Local who"#);
}

/// A client that closes the connection ends serving, without an error.
#[tokio::test]
async fn serving_ends_with_the_connection() {
    let mut wire = open(tools![later]);
    wire.begin(
        "tools/call",
        json!({"name": "later", "arguments": {"text": "x", "ms": 50}}),
    )
    .await;
    wire.close_input().await;
    assert_eq!(text(&wire.receive().await), "x");
    wire.served().await.unwrap();
}

#[derive(Debug, Deserialize, JsonSchema, Form)]
struct Confirm {
    /// Check to go ahead.
    confirm: bool,
}

/// Asks.
#[tool]
async fn ask(what: String, #[elicit("Go on with {what}?")] answer: Elicit<Confirm>) -> String {
    format!("{what} {answer:?}")
}

/// Whatever a line is made of, it costs itself at most: no damage to a message ends the connection, and nobody gets
/// past a question by one.
#[tokio::test]
async fn damaged_messages_are_answered_once_at_most() {
    let mut wire = open(tools![ask]);
    let mut dice = Dice(1);
    let arguments = json!({"what": "é"});
    let asked = wire.call("ask", arguments.clone()).await;
    let yes = json!({"answer": {"action": "accept", "content": {"confirm": true}}});
    let mut params = mcp_tests::wire::retry_params("ask", arguments, &asked, yes);
    params["_meta"] = wire.meta.clone();
    let whole = json!({"jsonrpc": "2.0", "id": "whole", "method": "tools/call", "params": params});
    let whole = whole.to_string().into_bytes();
    for marker in 1000..3000 {
        let mut line = whole.clone();
        for _ in 0..=dice.below(3) {
            let at = dice.below(line.len());
            match dice.below(4) {
                0 => line[at] = b" \"{}[]:,\\0-eu\x00\xff"[dice.below(15)],
                1 => line.truncate(at + 1),
                2 => drop(line.drain(at..(at + 20).min(line.len()))),
                _ => {
                    let part = line[at..(at + 20).min(line.len())].to_vec();
                    drop(line.splice(at..at, part));
                }
            }
        }
        let shown = String::from_utf8_lossy(&line).into_owned();
        line.push(b'\n');
        wire.write(&line).await;
        wire.send(&json!({"jsonrpc": "2.0", "id": marker, "method": "nothing"}))
            .await;
        let mut answers = 0;
        loop {
            let answer = wire.receive().await;
            if answer["id"] == marker {
                break;
            }
            answers += 1;
            assert!(answers <= 1, "two answers to {shown}");
            // Where the call went through, it was the very call that was confirmed.
            if let Some(text) = answer["result"]["content"][0]["text"].as_str()
                && answer["result"].get("isError").is_none()
            {
                assert!(
                    [
                        "é Accept(Confirm { confirm: true })",
                        "é Decline",
                        "é Cancel"
                    ]
                    .contains(&text),
                    "{shown} gave {text}"
                );
            }
        }
    }
}
