//! Arguments: strict, exact and explained, so that a model can correct itself.

use std::collections::BTreeMap;

use mcp_server::prelude::*;
use mcp_tests::wire::{Wire, code, text, tool_error};
use serde_json::{Value, json};

use crate::open;

#[derive(Debug, Deserialize, JsonSchema)]
struct Meta {
    /// Words to find it by.
    tags: Vec<String>,
}

/// Searches.
#[tool]
async fn search(limit: u32, dry: bool, meta: Option<Meta>, title: String) -> String {
    format!("{limit} {dry} {meta:?} {title}")
}

/// Hosts send strings for numbers, booleans and objects. Nothing is guessed: the answer names path, expected and
/// received type. What only looks like JSON in a string stays a string.
#[tokio::test]
async fn wrong_types_are_named_all_at_once_and_no_string_is_decoded() {
    let mut wire = open(tools![search]);
    let answer = wire
        .call(
            "search",
            json!({"limit": "50", "dry": "false", "meta": "{\"tags\":[\"a\"]}", "title": "{\"not\":\"json object arg\"}"}),
        )
        .await;
    let error = tool_error(&answer);
    for (path, expected) in [
        ("/limit", "integer"),
        ("/dry", "boolean"),
        ("/meta", "object"),
    ] {
        assert!(error.contains(&format!("`{path}` must be")), "{error}");
        let part = error.split(path).nth(1).unwrap().split(';').next().unwrap();
        assert!(
            part.contains(expected) || part.contains("true or false"),
            "{part}"
        );
        assert!(part.contains("received a string"), "{part}");
    }
    assert!(!error.contains("/title"), "{error}");
    for value in ["1.5", "", "12px"] {
        let answer = wire
            .call("search", json!({"limit": value, "dry": true, "title": "x"}))
            .await;
        assert!(tool_error(&answer).contains("/limit"), "{value}");
    }
    let answer = wire
        .call(
            "search",
            json!({"limit": 1, "dry": true, "title": "{\"a\":1}"}),
        )
        .await;
    assert_eq!(text(&answer), "1 true None {\"a\":1}");
}

/// Deep faults have their whole path, escaped as JSON pointers are.
#[tool]
async fn nested(rows: Vec<BTreeMap<String, Meta>>) -> String {
    format!("{rows:?}")
}

#[tokio::test]
async fn a_deep_fault_is_named_by_its_json_pointer() {
    let mut wire = open(tools![nested]);
    let answer = wire
        .call(
            "nested",
            json!({"rows": [{}, {"a/b~c": {"tags": ["x", 7]}}]}),
        )
        .await;
    let error = tool_error(&answer);
    assert!(error.contains("`/rows/1/a~1b~0c/tags/1`"), "{error}");
    let answer = wire.call("nested", json!({"rows": [{"a": {}}]})).await;
    assert!(tool_error(&answer).contains("tags"), "{answer}");
}

/// Looks into a tree.
#[tool]
async fn look(path: String, max_depth: Option<u32>) -> String {
    format!("{path} {max_depth:?}")
}

/// Looks into a tree, and does not mind other arguments.
#[tool(extra = "ignore")]
async fn look_away(path: String, max_depth: Option<u32>) -> String {
    format!("{path} {max_depth:?}")
}

/// A misspelt argument that was dropped would give a wrong answer that looks right.
#[tokio::test]
async fn an_unknown_argument_is_refused_with_the_known_ones() {
    let mut wire = open(tools![look, look_away]);
    let arguments = json!({"path": "/", "depth": 1});
    let answer = wire.call("look", arguments.clone()).await;
    let error = tool_error(&answer);
    assert!(error.contains("`depth`"), "{error}");
    assert!(
        error.contains("path") && error.contains("max_depth"),
        "{error}"
    );
    let answer = wire.call("look_away", arguments).await;
    assert_eq!(text(&answer), "/ None");
}

/// Has no parameters.
#[tool]
async fn now() -> &'static str {
    "noon"
}

/// Has only optional ones.
#[tool]
async fn page(size: Option<u32>, #[serde(default)] from: u32) -> String {
    format!("{size:?} {from}")
}

#[tokio::test]
async fn absent_arguments_are_none_and_others_must_be_an_object() {
    let mut wire = open(tools![now, page, look]);
    for (tool, expected) in [
        ("now", Some("noon")),
        ("page", Some("None 0")),
        ("look", None),
    ] {
        for params in [
            json!({"name": tool}),
            json!({"name": tool, "arguments": {}}),
        ] {
            let answer = wire.request("tools/call", params).await;
            match expected {
                Some(expected) => assert_eq!(text(&answer), expected),
                None => assert!(tool_error(&answer).contains("`path`"), "{answer}"),
            }
        }
        for arguments in [json!([]), json!("x"), json!(7), json!(true)] {
            let answer = wire
                .request("tools/call", json!({"name": tool, "arguments": arguments}))
                .await;
            assert_eq!(code(&answer), -32602, "{tool} {arguments}");
        }
        // The schema forbids `null`; it is either refused or none, and never an internal error.
        let answer = wire
            .request("tools/call", json!({"name": tool, "arguments": null}))
            .await;
        assert!(
            answer.get("result").is_some() || code(&answer) == -32602,
            "{answer}"
        );
    }
}

/// Tells an absent argument from a present one.
#[tool]
async fn optional(
    name: String,
    note: Option<String>,
    size: Option<u32>,
    meta: Option<Meta>,
) -> String {
    format!("{name} {note:?} {size:?} {}", meta.is_some())
}

/// Models write `null` for what they leave out, although the schema does not list it.
#[tokio::test]
async fn null_is_absent_for_optional_arguments_only() {
    let mut wire = open(tools![optional, page]);
    for arguments in [
        json!({"name": "a"}),
        json!({"name": "a", "note": null, "size": null, "meta": null}),
    ] {
        let answer = wire.call("optional", arguments).await;
        assert_eq!(text(&answer), "a None None false");
    }
    let answer = wire.call("optional", json!({"name": null})).await;
    assert!(tool_error(&answer).contains("name"), "{answer}");
    let answer = wire.call("page", json!({"from": null})).await;
    assert_eq!(text(&answer), "None 0");
}

/// Gives back integers in text and structure.
#[tool]
async fn unsigned(id: u64) -> Json<Ids> {
    Json(Ids {
        unsigned: Some(id),
        signed: None,
    })
}

/// Likewise.
#[tool]
async fn signed(id: i64) -> Json<Ids> {
    Json(Ids {
        unsigned: None,
        signed: Some(id),
    })
}

#[derive(Serialize, JsonSchema)]
struct Ids {
    #[serde(skip_serializing_if = "Option::is_none")]
    unsigned: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signed: Option<i64>,
}

/// Integers beyond what a double holds are exact to the tool and back, or refused; never wrapped, never rounded.
#[tokio::test]
async fn integers_are_exact_or_refused() {
    let mut wire = open(tools![unsigned, signed]);
    for (tool, id, fits) in [
        ("unsigned", "9007199254740993", true),
        ("unsigned", "18446744073709551615", true),
        ("unsigned", "18446744073709551616", false),
        ("unsigned", "-1", false),
        ("signed", "9007199254740993", true),
        ("signed", "-9223372036854775808", true),
        ("signed", "9223372036854775807", true),
        ("signed", "9223372036854775808", false),
        ("signed", "-9223372036854775809", false),
        ("signed", "1.5", false),
        ("signed", "1e400", false),
    ] {
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{{"id":{id}}},"_meta":{}}}}}"#,
            wire.meta
        );
        wire.write(format!("{line}\n").as_bytes()).await;
        let line = wire.line().await.unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        if fits {
            assert_eq!(text(&answer), format!("{{\"{tool}\":{id}}}"));
            assert!(
                line.contains(&format!("\"structuredContent\":{{\"{tool}\":{id}}}")),
                "{line}"
            );
        } else {
            assert!(
                answer["error"]["code"] == -32602 || answer["result"]["isError"] == true,
                "{id}: {line}"
            );
        }
    }
}

/// A whole number is an integer, however it is written.
#[tokio::test]
async fn a_whole_float_is_an_integer() {
    let mut wire = open(tools![unsigned]);
    for (written, id) in [("5.0", 5), ("5e0", 5), ("1E2", 100), ("-0.0", 0)] {
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"unsigned","arguments":{{"id":{written}}},"_meta":{}}}}}"#,
            wire.meta
        );
        wire.write(format!("{line}\n").as_bytes()).await;
        let answer = wire.receive().await;
        assert_eq!(
            answer["result"]["structuredContent"]["unsigned"], id,
            "{written}"
        );
    }
}

/// Takes what it is given.
#[tool]
async fn anything(payload: Value, #[serde(default)] rows: Vec<Value>, title: String) -> String {
    format!("{payload} {} {title}", json!(rows))
}

/// A string for an untyped argument is a string, whatever stands in it.
#[tokio::test]
async fn an_untyped_argument_is_taken_as_it_is() {
    let mut wire = open(tools![anything]);
    let arguments = json!({"payload": "{\"a\":1}", "rows": [1, null, "x", {}], "title": "5"});
    let answer = wire.call("anything", arguments).await;
    assert_eq!(text(&answer), r#""{\"a\":1}" [1,null,"x",{}] 5"#);
}

/// Bounds of schemars hold at call time.
#[tool]
async fn bounded(
    #[schemars(range(min = 1, max = 10))] limit: u32,
    #[schemars(length(min = 2, max = 4))] name: String,
    #[schemars(regex(pattern = "^[a-z]+$"))] code: Option<String>,
    small: Option<u8>,
) -> String {
    format!("{limit} {name} {code:?} {small:?}")
}

#[tokio::test]
async fn constraints_are_checked_and_named() {
    let mut wire = open(tools![bounded]);
    for (arguments, named) in [
        (json!({"limit": 0, "name": "ab"}), "/limit"),
        (json!({"limit": 11, "name": "ab"}), "/limit"),
        (json!({"limit": 1, "name": "a"}), "/name"),
        (json!({"limit": 1, "name": "abcde"}), "/name"),
        (json!({"limit": 1, "name": "ab", "code": "A1"}), "/code"),
        (json!({"limit": 1, "name": "ab", "small": 256}), "/small"),
        (json!({"limit": 1, "name": "ab", "small": -1}), "/small"),
    ] {
        let answer = wire.call("bounded", arguments.clone()).await;
        assert!(tool_error(&answer).contains(named), "{arguments}: {answer}");
    }
    // Four characters of many bytes are four.
    let answer = wire
        .call(
            "bounded",
            json!({"limit": 10, "name": "é🎉é🎉", "code": "az", "small": 255}),
        )
        .await;
    assert_eq!(text(&answer), "10 é🎉é🎉 Some(\"az\") Some(255)");
}

/// Reads aliases, renames and defaults.
#[tool]
async fn renamed(
    #[serde(rename = "userId", alias = "user_id", alias = "uid")] user: u64,
    #[serde(default = "ten")] limit: u32,
    r#type: Option<String>,
) -> String {
    format!("{user} {limit} {:?}", r#type)
}

fn ten() -> u32 {
    10
}

#[tokio::test]
async fn names_aliases_and_defaults_are_those_of_serde() {
    let mut wire = open(tools![renamed]);
    for (arguments, expected) in [
        (json!({"userId": 1}), "1 10 None"),
        (json!({"user_id": 2, "limit": 3}), "2 3 None"),
        (json!({"uid": 3, "type": "a\"b"}), "3 10 Some(\"a\\\"b\")"),
    ] {
        let answer = wire.call("renamed", arguments).await;
        assert_eq!(text(&answer), expected);
    }
    let answer = wire.call("renamed", json!({"user": 1})).await;
    assert!(tool_error(&answer).contains("userId"), "{answer}");
    let answer = wire.call("renamed", json!({"userId": 1, "uid": 2})).await;
    assert_eq!(answer["result"]["isError"], true, "{answer}");
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Search {
    /// What to look for.
    text: String,
    #[serde(default)]
    exact: bool,
    #[serde(alias = "max")]
    limit: Option<u32>,
}

/// Takes one struct.
#[tool]
async fn whole(args: Args<Search>) -> String {
    format!("{} {} {:?}", args.text, args.exact, args.limit)
}

#[tokio::test]
async fn one_struct_may_be_all_arguments() {
    let mut wire = open(tools![whole]);
    for (arguments, expected) in [
        (json!({"text": "a"}), "a false None"),
        (
            json!({"text": "a", "exact": true, "limit": 5.0}),
            "a true Some(5)",
        ),
        (json!({"text": "a", "max": 2}), "a false Some(2)"),
    ] {
        let answer = wire.call("whole", arguments).await;
        assert_eq!(text(&answer), expected);
    }
    let answer = wire
        .call("whole", json!({"text": "a", "exakt": true}))
        .await;
    let error = tool_error(&answer);
    assert!(
        error.contains("exakt") && error.contains("exact"),
        "{error}"
    );
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Payment {
    #[serde(alias = "amt", alias = "sum")]
    #[schemars(range(max = 100))]
    amount: u32,
    #[serde(default)]
    note: Option<String>,
}

/// Pays.
#[tool]
async fn pay(args: Args<Payment>) -> String {
    format!("paid {} {:?}", args.amount, args.note)
}

/// Pays, and does not mind other arguments.
#[tool(extra = "ignore")]
async fn pay_loosely(args: Args<Payment>) -> String {
    format!("paid {} {:?}", args.amount, args.note)
}

/// Pays by parameters.
#[tool(extra = "ignore")]
async fn pay_plainly(
    #[serde(alias = "amt", alias = "sum")]
    #[schemars(range(max = 100))]
    amount: u32,
    note: Option<String>,
) -> String {
    format!("paid {amount} {note:?}")
}

/// A bound is a bound under each of the argument's names.
#[tokio::test]
async fn bounds_hold_under_aliases_too() {
    let mut wire = open(tools![pay, pay_loosely, pay_plainly]);
    for tool in ["pay", "pay_loosely", "pay_plainly"] {
        for name in ["amount", "amt", "sum"] {
            let answer = wire.call(tool, json!({name: 10_000})).await;
            let error = tool_error(&answer);
            assert!(error.contains("`/amount` must be at most 100"), "{error}");
            for fits in [json!(100), json!(100.0)] {
                let answer = wire.call(tool, json!({name: fits})).await;
                assert_eq!(text(&answer), "paid 100 None", "{tool} {name}");
            }
        }
        // Which of the two would count?
        for second in [json!(1), json!(1.0), json!(10_000)] {
            let answer = wire.call(tool, json!({"amount": 2, "amt": second})).await;
            assert!(tool_error(&answer).contains("given twice"), "{answer}");
        }
        let answer = wire.call(tool, json!({"note": "x"})).await;
        assert!(tool_error(&answer).contains("`amount`"), "{answer}");
    }
}

/// Arguments that cannot be compared with the bounds do not get past them.
#[tokio::test]
async fn what_cannot_be_read_in_full_does_not_switch_off_the_bounds() {
    let mut wire = open(tools![pay, pay_loosely, pay_plainly]);
    let deep = "[".repeat(200) + &"]".repeat(200);
    for tool in ["pay", "pay_loosely", "pay_plainly"] {
        for junk in ["1e999", r#""\ud800""#, &deep] {
            for amount in [10_000, 1] {
                let line = format!(
                    r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{{"amount":{amount},"junk":{junk}}},"_meta":{}}}}}"#,
                    wire.meta
                );
                wire.write(format!("{line}\n").as_bytes()).await;
                let answer = wire.receive().await;
                assert!(tool_error(&answer).contains("do not fit"), "{answer}");
            }
        }
    }
}

/// Arguments of 128 levels and more are refused, not a stack overflow.
#[tokio::test]
async fn deep_arguments_are_refused() {
    let mut wire = open(tools![anything]);
    let mut deep = json!(1);
    for _ in 0..120 {
        deep = json!([deep]);
    }
    let fits: Wire = {
        let answer = wire
            .call("anything", json!({"payload": deep, "title": "x"}))
            .await;
        assert!(text(&answer).starts_with("[[["));
        wire
    };
    let mut wire = fits;
    let meta = wire.meta.to_string();
    let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"anything","arguments":{{"payload":{deep},"title":"x"}},"_meta":{meta}}}}}"#
    );
    wire.write(format!("{line}\n").as_bytes()).await;
    let answer = wire.receive().await;
    assert_eq!(answer["result"]["isError"], true, "{answer}");
}
