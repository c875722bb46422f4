//! Accepted forms are compared with their schema; what does not fit is asked again, in words that repeat no value.

use mcp_server::prelude::*;
use mcp_server::testing::TestHost;
use mcp_tests::{
    official::call,
    wire::{Wire, asked, code, message, retry_params, text},
};
use serde_json::{Value, json};

use crate::support::{Note, server};

#[derive(Debug, Deserialize, JsonSchema, Form)]
struct Order {
    /// How many?
    #[schemars(range(min = 1, max = 9))]
    amount: u8,
    /// As a gift?
    #[serde(default)]
    gift: bool,
    /// In which colours?
    colours: Option<Vec<Colour>>,
    /// For whom?
    #[schemars(length(min = 1, max = 20))]
    name: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema, Form)]
enum Colour {
    Red,
    Green,
}

/// Orders something.
#[tool]
async fn order(#[elicit("What shall it be?")] order: Resolve<Order>) -> String {
    let Order {
        amount,
        gift,
        colours,
        name,
    } = order.into_inner();
    format!("{amount} {gift} {colours:?} {name:?}")
}

/// Answers a question of `order` and gives what comes of it.
async fn answered(wire: &mut Wire, content: &Value) -> Value {
    let first = wire.call("order", json!({})).await;
    let response = json!({"order": {"action": "accept", "content": content}});
    wire.retry("order", json!({}), &first, response).await
}

#[tokio::test]
async fn what_does_not_fit_is_asked_again_by_field_and_constraint_and_never_by_value() {
    let (server, bodies) = server(tools![order]);
    let mut wire = Wire::open(&server);
    for (content, field, value) in [
        (json!({"amount": "3"}), "amount", "\"3\""),
        (json!({"amount": 4711}), "amount", "4711"),
        (json!({"amount": 2.5}), "amount", "2.5"),
        (json!({"amount": 3, "gift": "true"}), "gift", "\"true\""),
        (
            json!({"amount": 3, "colours": ["Red", "Mauve"]}),
            "colours",
            "Mauve",
        ),
        (
            json!({"amount": 3, "colours": "Vermilion"}),
            "colours",
            "Vermilion",
        ),
        (json!({"amount": 3, "name": ""}), "name", "\"\""),
        (json!({"gift": false}), "amount", "false"),
        (
            json!({"amount": 3, "name": "a very secret name of many letters"}),
            "name",
            "secret",
        ),
    ] {
        let again = answered(&mut wire, &content).await;
        assert_eq!(asked(&again), ["order"], "{content}");
        let message = message(&again, "order");
        assert!(message.starts_with("What shall it be?\n\n"), "{message}");
        let reason = message.trim_start_matches("What shall it be?");
        assert!(reason.contains(field), "{content}: {reason}");
        assert!(!reason.contains(value), "{content}: {reason}");
    }
    bodies.assert_ran("order", 0);
}

#[tokio::test]
async fn content_that_is_no_object_is_asked_again() {
    let (server, _) = server(tools![order]);
    let mut wire = Wire::open(&server);
    for content in [json!("Red"), json!([1]), json!(7)] {
        let again = answered(&mut wire, &content).await;
        assert_eq!(asked(&again), ["order"], "{content}");
    }
}

/// The reason is ours, so it is no part of the question that an answer belongs to.
#[tokio::test]
async fn the_next_answer_counts_although_the_message_has_a_reason_now() {
    let (server, bodies) = server(tools![order]);
    let host = TestHost::new(&server)
        .respond(
            "order",
            json!({"action": "accept", "content": {"amount": 99}}),
        )
        .respond("order", json!({"action": "accept", "content": {}}))
        .respond(
            "order",
            json!({"action": "accept", "content": {"amount": 10}}),
        )
        .answer("order", json!({"amount": 3, "colours": ["Green"]}));
    let call = call(&host, "order", json!({})).await;
    call.assert_text("3 false Some([Green]) None");
    call.assert_asked(["order", "order", "order", "order"]);
    bodies.assert_ran("order", 1);
}

#[tokio::test]
async fn extra_keys_are_ignored_null_is_absent_and_a_whole_float_is_an_integer() {
    let (server, _) = server(tools![order]);
    let mut wire = Wire::open(&server);
    for (content, expected) in [
        (
            json!({"amount": 3, "extra": {"a": [1]}}),
            "3 false None None",
        ),
        (
            json!({"amount": 3, "name": null, "colours": null}),
            "3 false None None",
        ),
        (json!({"amount": 5.0, "gift": true}), "5 true None None"),
        (
            json!({"amount": 9, "colours": ["Red", "Green"], "name": "é🎉"}),
            "9 true Some([Red, Green]) Some(\"é🎉\")",
        ),
    ] {
        let expected = match content["gift"] {
            Value::Null => expected.replace("9 true", "9 false"),
            _ => expected.to_owned(),
        };
        let last = answered(&mut wire, &content).await;
        assert_eq!(text(&last), expected, "{content}");
    }
}

/// Writes something down.
#[tool]
async fn write_down(#[elicit("Anything to add?")] note: Resolve<Note>) -> String {
    format!("{:?}", note.note)
}

/// A client may leave out the content of a form on which nothing was filled in.
#[tokio::test]
async fn no_content_is_an_empty_form() {
    let (server, _) = server(tools![write_down, order]);
    let mut wire = Wire::open(&server);
    for response in [
        json!({"action": "accept"}),
        json!({"action": "accept", "content": {}}),
        json!({"action": "accept", "content": null}),
    ] {
        let first = wire.call("write_down", json!({})).await;
        let last = wire
            .retry("write_down", json!({}), &first, json!({"note": response}))
            .await;
        assert_eq!(text(&last), "None", "{response}");
    }
    let first = wire.call("order", json!({})).await;
    let again = wire
        .retry(
            "order",
            json!({}),
            &first,
            json!({"order": {"action": "accept"}}),
        )
        .await;
    assert!(message(&again, "order").contains("amount"));
}

/// The answers are an object of objects, whatever else the request has.
#[tokio::test]
async fn malformed_input_responses_are_invalid_params() {
    let (server, bodies) = server(tools![order]);
    let mut wire = Wire::open(&server);
    let first = wire.call("order", json!({})).await;
    for responses in [
        json!(null),
        json!([]),
        json!("x"),
        json!(7),
        json!({"order": 7}),
        json!({"order": []}),
        json!({"order": "accept"}),
        json!({"order": null}),
        json!({"order": true, "other": {}}),
        json!({"nobody asked": 7}),
    ] {
        let answer = wire
            .retry("order", json!({}), &first, responses.clone())
            .await;
        assert_eq!(code(&answer), -32602, "{responses}");
        let params = json!({"name": "order", "arguments": {}, "inputResponses": responses});
        let answer = wire.request("tools/call", params).await;
        assert_eq!(code(&answer), -32602, "without a state: {responses}");
    }
    // What a tree of JSON cannot have: a key that is no text, and one that stands twice.
    let accept = r#"{"action":"accept","content":{"amount":3}}"#;
    for responses in [
        r#"{"\ud800":{},"order":7}"#.to_owned(),
        format!(r#"{{"\ud800":{{}},"order":{accept}}}"#),
        format!(r#"{{"order":{accept},"\ud800":{{}}}}"#),
        format!(r#"{{"order":{accept},"order":{{"action":"decline"}}}}"#),
        format!(r#"{{"order":{accept},"\u006frder":{accept}}}"#),
    ] {
        let mut params = retry_params("order", json!({}), &first, json!("HERE"));
        params["_meta"] = wire.meta.clone();
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let line = message.to_string().replace("\"HERE\"", &responses);
        wire.write(format!("{line}\n").as_bytes()).await;
        assert_eq!(code(&wire.receive().await), -32602, "{responses}");
    }
    bodies.assert_ran("order", 0);
}

#[derive(Debug, Deserialize, JsonSchema, Form)]
struct Exact {
    /// Which number?
    number: i64,
}

/// Takes a number.
#[tool]
async fn number(#[elicit("Which one?")] exact: Resolve<Exact>) -> String {
    exact.number.to_string()
}

/// From 2^53 on a float may be another number than the one that was written.
#[tokio::test]
async fn a_whole_float_is_an_integer_as_far_as_it_is_exact() {
    let (server, _) = server(tools![number]);
    let mut wire = Wire::open(&server);
    for (given, expected) in [
        (json!(9_007_199_254_740_993_i64), Some("9007199254740993")),
        (json!(9_007_199_254_740_991.0), Some("9007199254740991")),
        (json!(-9_007_199_254_740_991.0), Some("-9007199254740991")),
        (json!(9_007_199_254_740_992.0), None),
        (json!(-9_007_199_254_740_992.0), None),
        (json!(1e300), None),
    ] {
        let first = wire.call("number", json!({})).await;
        let response = json!({"exact": {"action": "accept", "content": {"number": given}}});
        let next = wire.retry("number", json!({}), &first, response).await;
        match expected {
            Some(expected) => assert_eq!(text(&next), expected),
            None => assert!(
                message(&next, "exact").contains("`number` must be a whole number"),
                "{given}: {next}"
            ),
        }
    }
}

/// An answer of another kind is never taken for one, nor passed over: not a list of roots, not a completion, not the
/// form's content without its envelope, not an unknown action.
#[tokio::test]
async fn answers_of_another_kind_and_unknown_actions_are_invalid_params() {
    let (server, bodies) = server(tools![order]);
    let mut wire = Wire::open(&server);
    let first = wire.call("order", json!({})).await;
    for response in [
        json!({"roots": []}),
        json!({"role": "assistant", "content": {"type": "text", "text": "yes"}, "model": "m"}),
        json!({"amount": 3}),
        json!({}),
        json!({"action": "maybe"}),
        json!({"action": "Accept", "content": {"amount": 3}}),
        json!({"action": ""}),
        json!({"action": null}),
        json!({"action": ["accept"]}),
    ] {
        let answer = wire
            .retry("order", json!({}), &first, json!({"order": response}))
            .await;
        assert_eq!(code(&answer), -32602, "{response}");
    }
    bodies.assert_ran("order", 0);
}

/// A nested answer carries no type of its own, and one that does is still an answer.
#[tokio::test]
async fn a_result_type_inside_of_an_answer_does_not_matter() {
    let (server, _) = server(tools![order]);
    let mut wire = Wire::open(&server);
    let first = wire.call("order", json!({})).await;
    let response = json!({"action": "accept", "content": {"amount": 1}, "resultType": "complete", "_meta": {}});
    let last = wire
        .retry("order", json!({}), &first, json!({"order": response}))
        .await;
    assert_eq!(text(&last), "1 false None None");
}
