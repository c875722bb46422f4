//! How messages are read: what survives, what absence means, and what is refused with which words.

#![allow(clippy::unwrap_used)]

mod support;

use mcp_core::protocol::{
    CacheScope, CallToolRequest, CallToolRequestParams, CallToolResponse, CallToolResult,
    CancelledNotification, ClientCapabilities, ContentBlock, DiscoverResult, GetPromptResponse,
    InputRequiredResult, InputResponse, ListToolsResult, LoggingLevel, Meta, ModelHint,
    NotificationMeta, PromptListChangedNotification, RequestMeta, ResourceContents, ResultMeta,
    ResultType, RoundResult, SamplingMessage, ServerCapabilities, ToolResultContent,
    result_type_of,
};
use mcp_core::rpc::{ProgressToken, RequestId};
use serde_json::json;
use serde_json::value::RawValue;

use support::{read, refusal, survives};

mod unknown_members {
    use super::*;

    #[test]
    fn survive_in_results() {
        survives::<CallToolResult>(json!({
            "resultType": "complete", "content": [], "com.example/more": { "deep": [1, null] }
        }));
        survives::<InputRequiredResult>(json!({
            "resultType": "input_required", "requestState": "s", "com.example/more": 1
        }));
        survives::<ListToolsResult>(json!({
            "resultType": "complete", "tools": [], "ttlMs": 0, "cacheScope": "public", "more": true
        }));
        survives::<DiscoverResult>(json!({
            "resultType": "complete", "supportedVersions": ["2030-01-01"], "capabilities": { "new": { "x": 1 } },
            "ttlMs": 1, "cacheScope": "private", "more": "x"
        }));
    }

    #[test]
    fn survive_in_capabilities() {
        survives::<ClientCapabilities>(json!({
            "elicitation": { "form": {}, "voice": { "languages": ["en"] } },
            "sampling": { "more": {} },
            "roots": { "listChanged": true },
            "extensions": { "com.example/x": { "y": [] } },
            "experimental": { "z": {} },
            "tasks": {}
        }));
        survives::<ServerCapabilities>(json!({
            "tools": { "listChanged": true, "more": 1 }, "resources": { "subscribe": false, "more": 1 }, "more": {}
        }));
    }

    #[test]
    fn survive_in_metadata() {
        survives::<RequestMeta>(json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "com.example/more": u64::MAX
        }));
        survives::<NotificationMeta>(
            json!({ "io.modelcontextprotocol/subscriptionId": 7, "more": [] }),
        );
        survives::<ModelHint>(json!({ "name": "x", "vendor": "y" }));
    }

    #[test]
    fn are_ignored_elsewhere() {
        let params: CallToolRequestParams = read(
            r#"{"name":"x","task":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
                "io.modelcontextprotocol/clientCapabilities":{}}}"#,
        );
        assert_eq!(params, CallToolRequestParams::new("x"));
    }
}

mod numbers {
    use super::*;

    const ARGUMENTS: &str = r#"{"a":18446744073709551615,"b":-9223372036854775808,"c":9007199254740993,"d":18446744073709551616}"#;

    #[test]
    fn in_arguments_keep_every_digit() {
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{{"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}},"progressToken":18446744073709551616}},"name":"x","arguments":{ARGUMENTS}}}}}"#
        );
        let request: CallToolRequest = read(&text);
        assert_eq!(request.id, RequestId::from(9_007_199_254_740_993_i64));
        assert_eq!(
            request.params.meta.progress_token,
            Some(ProgressToken::from(1_i128 << 64))
        );
        assert_eq!(serde_json::to_string(&request).unwrap(), text);
    }

    #[test]
    fn in_structured_content_keep_every_digit() {
        let text =
            format!(r#"{{"resultType":"complete","content":[],"structuredContent":{ARGUMENTS}}}"#);
        let CallToolResponse::Complete(result) = read(&text) else {
            panic!("a complete result")
        };
        assert_eq!(serde_json::to_string(&result).unwrap(), text);
        #[derive(serde::Deserialize)]
        struct Numbers {
            a: u64,
            b: i64,
            d: u128,
        }
        let numbers: Numbers = result.structured_content.as_ref().unwrap().parse().unwrap();
        assert_eq!(
            (numbers.a, numbers.b, numbers.d),
            (u64::MAX, i64::MIN, 1 << 64)
        );
    }

    #[test]
    fn in_answers_and_metadata_keep_64_bits() {
        let answer: InputResponse = read(
            r#"{"action":"accept","content":{"a":18446744073709551615,"b":-9223372036854775808}}"#,
        );
        let content = answer.as_elicit().unwrap().content.unwrap();
        assert_eq!(content["a"], json!(u64::MAX));
        assert_eq!(content["b"], json!(i64::MIN));
    }

    #[test]
    fn are_written_whole_when_they_are() {
        let params = mcp_core::protocol::ProgressNotificationParams {
            total: Some(0.5),
            ..mcp_core::protocol::ProgressNotificationParams::new("t", 50.0)
        };
        assert_eq!(
            serde_json::to_string(&params).unwrap(),
            r#"{"progressToken":"t","progress":50,"total":0.5}"#
        );
        let nan = mcp_core::protocol::ProgressNotificationParams::new("t", f64::NAN);
        assert!(
            serde_json::to_string(&nan)
                .unwrap_err()
                .to_string()
                .contains("NaN is not a JSON number")
        );
    }
}

mod result_types {
    use super::*;

    #[test]
    fn an_absent_one_is_complete_and_is_written() {
        let response: CallToolResponse = read(r#"{"content":[]}"#);
        assert_eq!(response, RoundResult::Complete(CallToolResult::default()));
        assert_eq!(
            serde_json::to_string(&response).unwrap(),
            r#"{"resultType":"complete","content":[]}"#
        );
        let list: ListToolsResult = read(r#"{"tools":[]}"#);
        // Peers of earlier revisions have no cache hints; ours are always written.
        assert_eq!((list.ttl_ms, list.cache_scope), (None, None));
        let ours = ListToolsResult::default();
        assert_eq!(
            (ours.ttl_ms, ours.cache_scope),
            (Some(0), Some(CacheScope::Private))
        );
    }

    #[test]
    fn the_type_decides_and_not_the_members() {
        let text = r#"{"content":[],"requestState":"s","resultType":"input_required"}"#;
        let CallToolResponse::InputRequired(result) = read(text) else {
            panic!("an input request")
        };
        assert_eq!(result.request_state.as_deref(), Some("s"));
        assert_eq!(result.extra["content"], json!([]));
        let text = r#"{"resultType":"complete","messages":[],"requestState":"s"}"#;
        assert!(matches!(read(text), GetPromptResponse::Complete(_)));
    }

    #[test]
    fn an_unknown_one_is_an_error_with_its_name() {
        let error = refusal::<CallToolResponse>(r#"{"resultType":"task","content":[]}"#);
        assert!(error.contains("unknown result type `task`"), "{error}");
        // On a method that may not ask, both are wrong.
        for name in ["task", "input_required"] {
            let error =
                refusal::<ListToolsResult>(&format!(r#"{{"resultType":"{name}","tools":[]}}"#));
            assert!(
                error.contains(name) && error.contains("`complete`"),
                "{error}"
            );
        }
        let error =
            refusal::<InputRequiredResult>(r#"{"resultType":"complete","requestState":"s"}"#);
        assert!(error.contains("`input_required`"), "{error}");
        assert!(refusal::<InputRequiredResult>(r#"{"requestState":"s"}"#).contains("`resultType`"));
    }

    #[test]
    fn one_that_is_no_string_is_an_error() {
        for text in ["5", "null", "[]", "{}"] {
            let error =
                refusal::<CallToolResponse>(&format!(r#"{{"resultType":{text},"content":[]}}"#));
            assert!(error.contains("a result type"), "{error}");
        }
        for text in ["[]", "7", "null", r#"["complete",[]]"#] {
            assert!(refusal::<CallToolResponse>(text).contains("a result must be a JSON object"));
        }
    }

    #[test]
    fn can_be_read_alone() {
        let of = |text: &str| {
            let raw: Box<RawValue> = read(text);
            result_type_of(&raw)
        };
        assert_eq!(of("{}").unwrap(), ResultType::Complete);
        assert_eq!(
            of(r#"{"x":[{}],"resultType":"input_required"}"#).unwrap(),
            ResultType::InputRequired
        );
        assert_eq!(
            of(r#"{"resultType":"task"}"#).unwrap(),
            ResultType::Other("task".to_owned())
        );
        assert!(of("[]").is_err());
    }

    #[test]
    fn what_is_wrong_inside_a_result_is_named() {
        let error = refusal::<CallToolResponse>(r#"{"resultType":"complete"}"#);
        assert!(error.contains("missing field `content`"), "{error}");
    }
}

mod calls {
    use super::*;

    const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

    fn with(members: &str) -> String {
        format!(r#"{{{META},"name":"x",{members}}}"#)
    }

    #[test]
    fn arguments_are_an_object_or_absent() {
        let none: CallToolRequestParams = read(&with(r#""arguments":null"#));
        assert_eq!(none.arguments, None);
        let empty: CallToolRequestParams = read(&with(r#""arguments":{}"#));
        assert_eq!(empty.arguments.unwrap().get(), "{}");
        for text in ["[]", "\"x\"", "7", "true"] {
            let error = refusal::<CallToolRequestParams>(&with(&format!(r#""arguments":{text}"#)));
            assert!(error.contains("expected a JSON object"), "{error}");
        }
    }

    #[test]
    fn answers_are_an_object_of_objects() {
        for text in [
            "null",
            "[]",
            "7",
            r#"{"a":7}"#,
            r#"{"a":[]}"#,
            r#"{"a":null}"#,
            r#"{"a":"accept"}"#,
        ] {
            refusal::<CallToolRequestParams>(&with(&format!(r#""inputResponses":{text}"#)));
        }
        let error = refusal::<CallToolRequestParams>(&with(r#""inputResponses":{"a":7}"#));
        assert!(
            error.contains("an input response must be a JSON object"),
            "{error}"
        );
    }

    #[test]
    fn metadata_must_be_there_and_is_named() {
        assert!(refusal::<CallToolRequestParams>(r#"{"name":"x"}"#).contains("`_meta`"));
        let error =
            refusal::<RequestMeta>(r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#);
        assert!(
            error.contains("missing field `io.modelcontextprotocol/clientCapabilities`"),
            "{error}"
        );
        let error = refusal::<RequestMeta>(r#"{"io.modelcontextprotocol/clientCapabilities":{}}"#);
        assert!(
            error.contains("missing field `io.modelcontextprotocol/protocolVersion`"),
            "{error}"
        );
        refusal::<RequestMeta>(
            r#"{"io.modelcontextprotocol/protocolVersion":5,"io.modelcontextprotocol/clientCapabilities":{}}"#,
        );
    }

    #[test]
    fn metadata_is_typed() {
        let meta: RequestMeta = read(
            r#"{"progressToken":"0","io.modelcontextprotocol/logLevel":"warning","tracestate":"a=b",
                "io.modelcontextprotocol/protocolVersion":"2030-01-01","baggage":7,
                "io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}"#,
        );
        assert_eq!(meta.progress_token, Some("0".into()));
        assert_eq!(meta.log_level, Some(LoggingLevel::Warning));
        assert!(meta.log_level.unwrap() < LoggingLevel::Error);
        assert_eq!(meta.tracestate(), Some("a=b"));
        assert_eq!((meta.traceparent(), meta.baggage()), (None, None));
        assert!(
            meta.revision()
                .unwrap_err()
                .to_string()
                .contains("2026-07-28")
        );
        assert!(meta.client_capabilities.can_elicit_form());
    }

    #[test]
    fn structured_null_is_not_absence() {
        let null: CallToolResult = read(r#"{"content":[],"structuredContent":null}"#);
        assert_eq!(null.structured_content.unwrap().get(), "null");
        let absent: CallToolResult = read(r#"{"content":[]}"#);
        assert_eq!(absent.structured_content, None);
        survives::<ToolResultContent>(
            json!({ "type": "tool_result", "toolUseId": "1", "content": [], "structuredContent": null }),
        );
    }

    #[test]
    fn a_message_of_another_method_is_refused() {
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{{META},"name":"x"}}}}"#
        );
        let error = refusal::<CallToolRequest>(&text);
        assert!(
            error.contains("`tools/call`") && error.contains("`tools/list`"),
            "{error}"
        );
        let error = refusal::<CallToolRequest>(
            &text
                .replace("2.0", "1.0")
                .replace("tools/list", "tools/call"),
        );
        assert!(error.contains("1.0"), "{error}");
    }

    #[test]
    fn absent_parameters_of_a_notification_are_empty_ones() {
        let text = r#"{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}"#;
        assert_eq!(
            read::<PromptListChangedNotification>(text).params.meta,
            None
        );
        let error = refusal::<CancelledNotification>(
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
        );
        assert!(error.contains("`requestId`"), "{error}");
    }
}

mod content {
    use super::*;

    #[test]
    fn is_tagged_by_type() {
        assert_eq!(
            read::<ContentBlock>(r#"{"text":"x","type":"text"}"#).as_text(),
            Some("x")
        );
        let error = refusal::<ContentBlock>(r#"{"type":"video","data":""}"#);
        assert!(
            error.contains("`video`") && error.contains("`resource_link`"),
            "{error}"
        );
        assert!(refusal::<ContentBlock>(r#"{"text":"x"}"#).contains("`type`"));
    }

    #[test]
    fn of_a_resource_is_text_or_bytes() {
        assert!(matches!(
            read(r#"{"uri":"u","text":""}"#),
            ResourceContents::Text(_)
        ));
        assert!(matches!(
            read(r#"{"uri":"u","blob":""}"#),
            ResourceContents::Blob(_)
        ));
        assert!(refusal::<ResourceContents>(r#"{"uri":"u"}"#).contains("a `text` or a `blob`"));
        assert!(refusal::<ResourceContents>(r#"{"uri":"u","text":"","blob":""}"#).contains("both"));
    }

    #[test]
    fn of_a_model_is_one_block_or_a_list() {
        survives::<SamplingMessage>(
            json!({ "role": "user", "content": { "type": "text", "text": "x" } }),
        );
        survives::<SamplingMessage>(
            json!({ "role": "user", "content": [{ "type": "text", "text": "x" }] }),
        );
        survives::<SamplingMessage>(json!({ "role": "user", "content": [] }));
        let one: SamplingMessage = read(r#"{"role":"user","content":{"type":"text","text":"x"}}"#);
        assert_eq!(one.content.blocks().len(), 1);
        // The error is about the block, not about the choice between one and many.
        let error = refusal::<SamplingMessage>(r#"{"role":"user","content":[{"type":"text"}]}"#);
        assert!(error.contains("`text`"), "{error}");
    }
}

#[test]
fn an_unreadable_server_info_costs_nothing() {
    let result: CallToolResult =
        read(r#"{"content":[],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"only"}}}"#);
    assert_eq!(result.meta.unwrap().server_info(), None);
    let mut meta = Meta::new();
    let info = mcp_core::protocol::Implementation::new("shop", "1");
    meta.set_server_info(&info);
    assert_eq!(meta.server_info(), Some(info));
}
