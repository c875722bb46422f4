//! `requestState`: good for this call, this tool, these arguments, this server and a while, and for nothing else.

use std::time::Duration;

use mcp_server::prelude::*;
use mcp_server::state::{Key, KeyRing, Sealing, StateError};
use mcp_server::testing::BodyCount;
use mcp_tests::wire::{Wire, asked, code, retry_params, text};
use serde_json::{Value, json, value::RawValue};

use crate::support::Confirm;

/// Transfers an amount.
#[tool]
async fn transfer(
    cents: i64,
    to: Option<String>,
    #[serde(default)] tags: Vec<String>,
    share: Option<f64>,
    #[elicit("Transfer {cents} to {to:?}?")] answer: Resolve<Confirm>,
) -> String {
    format!("{cents} {to:?} {tags:?} {share:?} {}", answer.confirm)
}

/// The same question, another tool.
#[tool]
async fn other(
    cents: i64,
    #[elicit("Transfer {cents} to {cents}?")] answer: Resolve<Confirm>,
) -> String {
    format!("{cents} {}", answer.confirm)
}

/// Takes no arguments.
#[tool]
async fn bare(#[elicit("Go on?")] answer: Resolve<Confirm>) -> String {
    format!("{}", answer.confirm)
}

fn builder(name: &str) -> mcp_server::Builder {
    Server::builder(name, "1.0.0").tools(tools![transfer, other, bare])
}

fn yes() -> Value {
    json!({"answer": {"action": "accept", "content": {"confirm": true}}})
}

/// A refusal has one code and one text, whatever the reason; the counters tell the operator.
fn assert_refused(answer: &Value, server: &Server, reason: StateError, times: u64) {
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert_eq!(
        answer["error"]["message"], "Invalid or expired requestState",
        "{answer}"
    );
    assert_eq!(answer["error"].get("data"), None, "{answer}");
    assert_eq!(server.state_failures().count(reason), times, "{reason:?}");
}

#[tokio::test]
async fn a_state_is_good_for_its_tool_and_arguments_alone() {
    let bodies = BodyCount::new();
    let server = builder("bank").layer(bodies.clone()).build().unwrap();
    let mut wire = Wire::open(&server);
    let arguments = json!({"cents": 1, "to": "a"});
    let first = wire.call("transfer", arguments.clone()).await;
    let mut refused = 0;
    for (tool, arguments) in [
        ("other", json!({"cents": 1})),
        ("transfer", json!({"cents": 2, "to": "a"})),
        ("transfer", json!({"cents": 1, "to": "b"})),
        ("transfer", json!({"cents": 1})),
        ("transfer", json!({"cents": 1, "to": "a", "tags": []})),
        ("transfer", json!({"cents": "1", "to": "a"})),
    ] {
        let answer = wire.retry(tool, arguments, &first, yes()).await;
        refused += 1;
        assert_refused(&answer, &server, StateError::RequestBinding, refused);
    }
    bodies.assert_ran("transfer", 0);
    let last = wire.retry("transfer", arguments, &first, yes()).await;
    assert_eq!(text(&last), "1 Some(\"a\") [] None true");
    bodies.assert_ran("transfer", 1);
}

/// Calls a tool with arguments as they are written, and calls it again with others.
async fn retried(server: &Server, tool: &str, before: Option<&str>, after: Option<&str>) -> Value {
    let mut wire = Wire::open(server);
    let params = |arguments: Option<&str>, rest: &str| {
        let arguments = arguments.map_or(String::new(), |json| format!(r#","arguments":{json}"#));
        let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}"#;
        format!(r#"{{"name":"{tool}"{arguments},{meta}{rest}}}"#)
    };
    let send = |id: u8, params: String| {
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{params}}}\n"
        )
    };
    wire.write(send(1, params(before, "}")).as_bytes()).await;
    let first = wire.receive().await;
    let state = first["result"]["requestState"]
        .as_str()
        .unwrap_or_else(|| panic!("{first}"));
    // The `_meta` of a retry is another one: a token, a trace, a log level.
    let rest = format!(
        r#","progressToken":7,"traceparent":"00-1-2-03"}},"requestState":"{state}","inputResponses":{}"#,
        yes()
    );
    wire.write(send(2, params(after, &rest)).as_bytes()).await;
    wire.receive().await
}

/// An honest retry may be written anew: what it means is compared, not how it is written.
#[tokio::test]
async fn arguments_that_mean_the_same_are_the_same() {
    let server = builder("bank").build().unwrap();
    for (before, after) in [
        (r#"{"cents":1,"to":"é"}"#, r#"{"to":"\u00e9", "cents" : 1}"#),
        (r#"{"cents":1}"#, r#"{"cents":1.0}"#),
        (r#"{"cents":1}"#, r#"{"cents":1e0}"#),
        (r#"{"cents":100}"#, r#"{"cents":1E2}"#),
        (r#"{"cents":0}"#, r#"{"cents":-0}"#),
        (r#"{"cents":0}"#, r#"{"cents":-0.0}"#),
        (r#"{"cents":1,"share":0.1}"#, r#"{"cents":1,"share":0.10}"#),
        (r#"{"cents":1,"share":0.1}"#, r#"{"cents":1,"share":1e-1}"#),
        (
            r#"{"cents":9007199254740993}"#,
            r#"{"cents":9007199254740993}"#,
        ),
        (
            r#"{"cents":-9223372036854775808}"#,
            r#"{"cents":-9223372036854775808}"#,
        ),
        (
            r#"{"cents":1,"tags":["a","b"]}"#,
            r#"{"tags":["a","b"],"cents":1}"#,
        ),
    ] {
        let last = retried(&server, "transfer", Some(before), Some(after)).await;
        assert!(text(&last).ends_with("true"), "{before} {after}");
    }
    for (before, after) in [(None, Some("{}")), (Some("{}"), None), (None, None)] {
        let last = retried(&server, "bare", before, after).await;
        assert_eq!(text(&last), "true");
    }
}

#[tokio::test]
async fn arguments_that_mean_something_else_are_refused() {
    let server = builder("bank").build().unwrap();
    for (times, (before, after)) in [
        (r#"{"cents":1}"#, r#"{"cents":2}"#),
        (r#"{"cents":1}"#, r#"{"cents":"1"}"#),
        (r#"{"cents":1}"#, r#"{"cents":1,"extra":1}"#),
        (
            r#"{"cents":9007199254740993}"#,
            r#"{"cents":9007199254740992}"#,
        ),
        (
            r#"{"cents":1,"tags":["a","b"]}"#,
            r#"{"cents":1,"tags":["b","a"]}"#,
        ),
        (
            r#"{"cents":1,"share":0.1}"#,
            r#"{"cents":1,"share":0.10000000000000002}"#,
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let answer = retried(&server, "transfer", Some(before), Some(after)).await;
        assert_refused(
            &answer,
            &server,
            StateError::RequestBinding,
            times as u64 + 1,
        );
    }
}

/// An integer beyond what a double holds survives the rounds, in the question and in the result.
#[tokio::test]
async fn large_integers_are_exact_over_the_rounds() {
    let server = builder("bank").build().unwrap();
    let mut wire = Wire::open(&server);
    for cents in [9_007_199_254_740_993, i64::MIN, i64::MAX] {
        let arguments = json!({"cents": cents});
        let first = wire.call("transfer", arguments.clone()).await;
        let shown = &first["result"]["inputRequests"]["answer"]["params"]["message"];
        assert_eq!(shown, &format!("Transfer {cents} to None?"));
        let last = wire.retry("transfer", arguments, &first, yes()).await;
        assert_eq!(text(&last), format!("{cents} None [] None true"));
    }
}

#[tokio::test]
async fn another_servers_states_are_refused_be_it_by_key_or_by_name() {
    let ring = || KeyRing::new([Key::generate().unwrap()]).unwrap();
    let shared = Key::generate().unwrap();
    let shared = || Sealing::encrypted(KeyRing::new([shared.clone()]).unwrap());
    let one = builder("bank").request_state(shared()).build().unwrap();
    let mut wire = Wire::open(&one);
    let arguments = json!({"cents": 1});
    let first = wire.call("transfer", arguments.clone()).await;

    let stranger = builder("bank")
        .request_state(Sealing::encrypted(ring()))
        .build()
        .unwrap();
    let mut wire = Wire::open(&stranger);
    let answer = wire
        .retry("transfer", arguments.clone(), &first, yes())
        .await;
    assert_refused(&answer, &stranger, StateError::UnknownKey, 1);

    let neighbour = builder("shop").request_state(shared()).build().unwrap();
    let mut wire = Wire::open(&neighbour);
    let answer = wire
        .retry("transfer", arguments.clone(), &first, yes())
        .await;
    assert_refused(&answer, &neighbour, StateError::Audience, 1);

    // Replicas under other names say that they are one.
    let replica = builder("shop")
        .audience("bank")
        .request_state(shared())
        .build()
        .unwrap();
    let mut wire = Wire::open(&replica);
    let last = wire
        .retry("transfer", arguments.clone(), &first, yes())
        .await;
    assert_eq!(text(&last), "1 None [] None true");

    // A server that was started anew without a key of its own has another one.
    let restarted = builder("bank").build().unwrap();
    let mut wire = Wire::open(&restarted);
    let answer = wire.retry("transfer", arguments, &first, yes()).await;
    assert_refused(&answer, &restarted, StateError::UnknownKey, 1);
}

/// Keys change in three steps, and no call in flight is lost.
#[tokio::test]
async fn keys_rotate_without_losing_calls() {
    let (old, new) = (Key::generate().unwrap(), Key::generate().unwrap());
    let server = |keys: &[&Key]| {
        let ring = KeyRing::new(keys.iter().map(|key| (*key).clone())).unwrap();
        builder("bank")
            .request_state(Sealing::encrypted(ring))
            .build()
            .unwrap()
    };
    let steps = [
        server(&[&old]),
        server(&[&old, &new]),
        server(&[&new, &old]),
        server(&[&new]),
    ];
    let arguments = json!({"cents": 1});
    for (sealed, opened) in [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2)] {
        let first = Wire::open(&steps[sealed])
            .call("transfer", arguments.clone())
            .await;
        let last = Wire::open(&steps[opened])
            .retry("transfer", arguments.clone(), &first, yes())
            .await;
        assert_eq!(text(&last), "1 None [] None true", "{sealed} {opened}");
    }
    let first = Wire::open(&steps[0])
        .call("transfer", arguments.clone())
        .await;
    let late = Wire::open(&steps[3])
        .retry("transfer", arguments, &first, yes())
        .await;
    assert_refused(&late, &steps[3], StateError::UnknownKey, 1);
}

#[tokio::test]
async fn a_changed_character_anywhere_is_refused() {
    let bodies = BodyCount::new();
    let server = builder("bank").layer(bodies.clone()).build().unwrap();
    let mut wire = Wire::open(&server);
    let arguments = json!({"cents": 1});
    let first = wire.call("transfer", arguments.clone()).await;
    let state = first["result"]["requestState"].as_str().unwrap().to_owned();
    let mut spoilt: Vec<String> = (0..state.len())
        .step_by(7)
        .chain([state.len() - 1])
        .map(|at| {
            let mut bytes = state.clone().into_bytes();
            bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
            String::from_utf8(bytes).unwrap()
        })
        .collect();
    spoilt.extend([
        String::new(),
        "v1.".to_owned(),
        "x".repeat(70_000),
        format!("{state}="),
        format!(" {state}"),
        state.replace("v1.", "h1."),
        state[..state.len() - 1].to_owned(),
    ]);
    for state in spoilt {
        let mut params = retry_params("transfer", arguments.clone(), &first, yes());
        params["requestState"] = json!(state);
        let answer = wire.request("tools/call", params).await;
        assert_eq!(code(&answer), -32602, "{state}");
        assert_eq!(
            answer["error"]["message"],
            "Invalid or expired requestState"
        );
    }
    bodies.assert_ran("transfer", 0);
}

#[tokio::test]
async fn an_expired_state_is_refused_or_asked_again_for_as_the_server_says() {
    let lifetime = Duration::from_secs(3);
    let strict = builder("bank")
        .request_state_lifetime(lifetime)
        .build()
        .unwrap();
    let lenient = builder("bank")
        .request_state_lifetime(lifetime)
        .ask_again_when_expired()
        .build()
        .unwrap();
    let (mut one, mut two) = (Wire::open(&strict), Wire::open(&lenient));
    let arguments = json!({"cents": 1});
    let strict_first = one.call("transfer", arguments.clone()).await;
    let lenient_first = two.call("transfer", arguments.clone()).await;
    tokio::time::sleep(Duration::from_millis(4100)).await;
    let answer = one
        .retry("transfer", arguments.clone(), &strict_first, yes())
        .await;
    assert_refused(&answer, &strict, StateError::Expired, 1);
    let again = two
        .retry("transfer", arguments.clone(), &lenient_first, yes())
        .await;
    // Asked anew: the late answer does not count.
    assert_eq!(asked(&again), ["answer"]);
    assert_eq!(lenient.state_failures().count(StateError::Expired), 1);
    let last = two
        .retry("transfer", arguments.clone(), &again, yes())
        .await;
    assert_eq!(text(&last), "1 None [] None true");
    // The option is for expiry alone.
    let mut params = retry_params("transfer", arguments, &again, yes());
    params["requestState"] = json!("v1.AAAA");
    let answer = two.request("tools/call", params).await;
    assert_refused(&answer, &lenient, StateError::Malformed, 1);
}

/// Whoever completes a call may send it again, unless the tool says `once`: the seal does not prove first use.
#[tokio::test]
async fn a_completed_state_is_still_a_state() {
    let server = builder("bank").build().unwrap();
    let mut wire = Wire::open(&server);
    let arguments = json!({"cents": 1});
    let first = wire.call("transfer", arguments.clone()).await;
    for _ in 0..2 {
        let last = wire
            .retry("transfer", arguments.clone(), &first, yes())
            .await;
        assert_eq!(text(&last), "1 None [] None true");
    }
}

/// The signed codec is readable and as strict.
#[tokio::test]
async fn a_signed_state_can_be_read_and_not_changed() {
    let ring = KeyRing::new([Key::generate().unwrap()]).unwrap();
    let server = builder("bank")
        .request_state(Sealing::signed(ring))
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    let arguments = json!({"cents": 1});
    let first = wire.call("transfer", arguments.clone()).await;
    let state = first["result"]["requestState"].as_str().unwrap();
    assert!(state.starts_with("h1."), "{state}");
    let mut params = retry_params("transfer", arguments.clone(), &first, yes());
    let flipped = state.char_indices().map(|(at, c)| match (at, c) {
        (20, 'A') => 'B',
        (20, _) => 'A',
        _ => c,
    });
    params["requestState"] = json!(flipped.collect::<String>());
    assert_eq!(code(&wire.request("tools/call", params).await), -32602);
    let last = wire.retry("transfer", arguments, &first, yes()).await;
    assert_eq!(text(&last), "1 None [] None true");
}

/// Duplicate keys would make the digest and the tool see different arguments.
#[tokio::test]
async fn duplicate_keys_in_arguments_are_refused() {
    let server = builder("bank").build().unwrap();
    let mut wire = Wire::open(&server);
    let arguments: Box<RawValue> = serde_json::from_str(r#"{"cents":1,"cents":2}"#).unwrap();
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"transfer","arguments":{arguments},"_meta":{}}}}}"#,
        wire.meta
    );
    wire.write(format!("{line}\n").as_bytes()).await;
    let answer = wire.receive().await;
    assert!(
        answer["error"]["code"] == -32602 || answer["result"]["isError"] == true,
        "{answer}"
    );
}
