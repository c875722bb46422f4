//! Whatever we write we read back, for values that nobody thought of.

#![allow(clippy::unwrap_used)]

mod support;

use std::fmt::Debug;

use mcp_core::protocol::{
    CallToolRequest, CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities,
    ContentBlock, ElicitRequest, ElicitRequestURLParams, ElicitResult, ImageContent,
    InputRequiredResult, InputResponse, JsonObject, ListRootsRequest, RawJson, RequestMeta,
    ResourceLink, RoundResult, TextContent,
};
use mcp_core::rpc::RequestId;
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use support::Schema;

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        // Halves are exact in JSON text too.
        any::<i32>().prop_map(|n| Value::from(f64::from(n) / 2.0)),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::from),
            btree_map(any::<String>(), inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn object() -> impl Strategy<Value = JsonObject> {
    btree_map(any::<String>(), json(), 0..4).prop_map(|map| map.into_iter().collect())
}

/// Members that no revision defines.
fn extra() -> impl Strategy<Value = JsonObject> {
    btree_map("com\\.example/[a-z]{1,8}", json(), 0..3).prop_map(|map| map.into_iter().collect())
}

fn id() -> impl Strategy<Value = RequestId> {
    prop_oneof![
        any::<i128>().prop_map(RequestId::from),
        any::<String>().prop_map(RequestId::from)
    ]
}

fn block() -> impl Strategy<Value = ContentBlock> {
    prop_oneof![
        (any::<String>(), option::of(object())).prop_map(|(text, meta)| {
            ContentBlock::from(TextContent {
                meta,
                ..TextContent::new(text)
            })
        }),
        any::<(String, String)>().prop_map(|(data, mime)| ImageContent::new(data, mime).into()),
        any::<(String, String, Option<u64>)>().prop_map(|(uri, name, size)| {
            ContentBlock::from(ResourceLink {
                size,
                ..ResourceLink::new(uri, name)
            })
        }),
    ]
}

fn result() -> impl Strategy<Value = CallToolResult> {
    (
        vec(block(), 0..4),
        option::of(json()),
        any::<Option<bool>>(),
        option::of(object()),
        extra(),
    )
        .prop_map(
            |(content, structured, is_error, meta, extra)| CallToolResult {
                structured_content: structured.map(RawJson::from),
                is_error,
                meta,
                extra,
                ..CallToolResult::new(content)
            },
        )
}

fn answer() -> impl Strategy<Value = InputResponse> {
    prop_oneof![
        object().prop_map(ElicitResult::accept),
        Just(ElicitResult::decline()),
        Just(ElicitResult::cancel()),
    ]
    .prop_map(|result| InputResponse::from(&result))
}

fn call() -> impl Strategy<Value = CallToolRequest> {
    let meta =
        (option::of(id()), extra(), extra()).prop_map(|(token, capabilities, extra)| RequestMeta {
            progress_token: token.map(Into::into),
            extra,
            ..RequestMeta::new(ClientCapabilities {
                extra: capabilities,
                ..Default::default()
            })
        });
    let answers = option::of(btree_map(any::<String>(), answer(), 0..3));
    (
        id(),
        meta,
        any::<String>(),
        option::of(object()),
        answers,
        any::<Option<String>>(),
    )
        .prop_map(
            |(id, meta, name, arguments, input_responses, request_state)| {
                let params = CallToolRequestParams {
                    meta,
                    arguments: arguments.map(RawJson::from),
                    input_responses,
                    request_state,
                    ..CallToolRequestParams::new(name)
                };
                CallToolRequest::new(id, params)
            },
        )
}

fn questions() -> impl Strategy<Value = InputRequiredResult> {
    (
        any::<Vec<(String, Option<(String, String)>)>>(),
        any::<String>(),
        extra(),
    )
        .prop_map(|(keys, state, extra)| {
            let start = InputRequiredResult {
                extra,
                ..InputRequiredResult::default()
            }
            .with_state(state);
            keys.into_iter()
                .fold(start, |result, (key, page)| match page {
                    Some((message, url)) => result.and_ask(
                        key,
                        ElicitRequest::new(ElicitRequestURLParams::new(message, url)),
                    ),
                    None => result.and_ask(key, ListRootsRequest::default()),
                })
        })
}

fn assert_round_trip<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    let line = serde_json::to_string(value).unwrap();
    assert!(!line.contains('\n'));
    assert_eq!(&serde_json::from_str::<T>(&line).unwrap(), value);
}

proptest! {
    #[test]
    fn ids(id in id()) {
        assert_round_trip(&id);
    }

    #[test]
    fn requests(call in call()) {
        assert_round_trip(&call);
    }

    #[test]
    fn results(result in result()) {
        assert_round_trip(&result);
        assert_round_trip(&CallToolResponse::Complete(result));
    }

    #[test]
    fn input_requests(questions in questions()) {
        assert_round_trip(&CallToolResponse::InputRequired(questions));
    }

    /// Nothing that can be read makes the reader panic.
    #[test]
    fn any_json_is_read_or_refused(value in json()) {
        let text = value.to_string();
        let _ = serde_json::from_str::<CallToolRequest>(&text);
        let _ = serde_json::from_str::<CallToolResponse>(&text);
        let _ = serde_json::from_str::<InputResponse>(&text);
        let _ = serde_json::from_str::<RequestId>(&text);
    }
}

#[test]
fn results_are_valid() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    let Some(schema) = Schema::load() else { return };
    let mut runner = TestRunner::deterministic();
    for _ in 0..16 {
        let result = result().new_tree(&mut runner).unwrap().current();
        schema.assert_valid(
            "CallToolResultResponse",
            &serde_json::json!({
                "jsonrpc": "2.0", "id": 1, "result": RoundResult::Complete(result)
            }),
        );
    }
}
