//! How questions, answers and the capabilities for them are read.

#![allow(clippy::unwrap_used)]

mod support;

use mcp_core::protocol::{
    ClientCapabilities, ElicitAction, ElicitRequestParams, InputRequest, InputRequiredResult,
    InputResponse, MissingRequiredClientCapabilityData, StopReason, UnsupportedProtocolVersionData,
};
use serde_json::{Value, json};

use support::{read, refusal};

mod questions {
    use super::*;

    #[test]
    fn without_a_mode_it_is_a_form() {
        let text = r#"{"message":"m","requestedSchema":{"type":"object","properties":{}}}"#;
        let ElicitRequestParams::Form(form) = read(text) else {
            panic!("a form")
        };
        assert_eq!(form.mode, None);
        // Even where the members suggest another mode.
        let text = r#"{"message":"m","url":"https://example.com/"}"#;
        assert!(refusal::<ElicitRequestParams>(text).contains("`requestedSchema`"));
        let text = r#"{"url":"https://example.com/","message":"m","mode":"url"}"#;
        assert!(matches!(read(text), ElicitRequestParams::Url(_)));
        let error = refusal::<ElicitRequestParams>(r#"{"mode":"voice","message":"m"}"#);
        assert!(
            error.contains("`voice`") && error.contains("`url`"),
            "{error}"
        );
        assert!(
            refusal::<ElicitRequestParams>(r#"{"mode":"url","message":"m"}"#).contains("`url`")
        );
    }

    #[test]
    fn fields_keep_their_order() {
        let text = r#"{"method":"elicitation/create","params":{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"zulu":{"type":"string"},"alpha":{"type":"boolean"},"mike":{"type":"integer"}},"required":["zulu"]}}}"#;
        assert_eq!(
            serde_json::to_string(&read::<InputRequest>(text)).unwrap(),
            text
        );
    }

    #[test]
    fn the_method_tells_them_apart() {
        assert!(matches!(
            read(r#"{"method":"roots/list"}"#),
            InputRequest::ListRoots(_)
        ));
        assert!(matches!(
            read(r#"{"params":{"messages":[],"maxTokens":1},"method":"sampling/createMessage"}"#),
            InputRequest::CreateMessage(_)
        ));
        let error = refusal::<InputRequest>(r#"{"method":"tools/call","params":{}}"#);
        assert!(
            error.contains("tools/call") && error.contains("elicitation/create"),
            "{error}"
        );
        assert!(refusal::<InputRequest>("{}").contains("`method`"));
    }

    #[test]
    fn a_request_without_anything_says_so() {
        let result: InputRequiredResult = read(r#"{"resultType":"input_required"}"#);
        assert!(result.is_empty());
    }
}

mod answers {
    use super::*;

    #[test]
    fn are_read_by_whoever_knows_the_question() {
        let answer: InputResponse = read(r#"{"action":"cancel","content":null}"#);
        assert_eq!(answer.as_elicit().unwrap().action, ElicitAction::Cancel);
        assert_eq!(answer.as_elicit().unwrap().content, None);
        let answer: InputResponse = read(r#"{"roots":[{"uri":"file:///x"}]}"#);
        assert_eq!(answer.as_roots().unwrap().roots[0].uri, "file:///x");
        let answer: InputResponse = read(
            r#"{"role":"assistant","content":{"type":"text","text":"x"},"model":"m","stopReason":"odd"}"#,
        );
        assert_eq!(
            answer.as_sampling().unwrap().stop_reason,
            Some(StopReason::Other("odd".to_owned()))
        );
    }

    #[test]
    fn of_another_kind_are_refused() {
        let error = |text: &str| {
            read::<InputResponse>(text)
                .as_elicit()
                .unwrap_err()
                .to_string()
        };
        assert!(error(r#"{"action":"maybe"}"#).contains("`maybe`"));
        assert!(
            error(r#"{"roots":[]}"#)
                .contains("not a result of `elicitation/create`: missing field `action`")
        );
        assert!(error(r#"{"name":"x"}"#).contains("`action`"));
        assert!(error(r#"{"action":"accept","content":[]}"#).contains("map"));
        let elicited: InputResponse = read(r#"{"action":"accept","content":{}}"#);
        assert!(
            elicited
                .as_roots()
                .unwrap_err()
                .to_string()
                .contains("`roots/list`")
        );
        assert!(
            elicited
                .as_sampling()
                .unwrap_err()
                .to_string()
                .contains("`sampling/createMessage`")
        );
    }

    #[test]
    fn keep_their_text() {
        let text = r#"{"action":"accept", "content":{"b":1.0,"a":2e0}}"#;
        assert_eq!(read::<InputResponse>(text).as_json().get(), text);
    }
}

mod capabilities {
    use super::*;

    #[test]
    fn of_asking_go_by_mode() {
        let of = |value: Value| {
            let capabilities: ClientCapabilities = serde_json::from_value(value).unwrap();
            (
                capabilities.can_elicit_form(),
                capabilities.can_elicit_url(),
            )
        };
        assert_eq!(of(json!({})), (false, false));
        assert_eq!(of(json!({ "elicitation": {} })), (true, false));
        assert_eq!(of(json!({ "elicitation": { "form": {} } })), (true, false));
        assert_eq!(of(json!({ "elicitation": { "url": {} } })), (false, true));
        assert_eq!(
            of(json!({ "elicitation": { "form": {}, "url": {} } })),
            (true, true)
        );
    }

    #[test]
    fn of_other_kinds_go_by_presence() {
        let capabilities: ClientCapabilities = read(r#"{"sampling":{"tools":{}},"roots":{}}"#);
        assert!(
            capabilities.can_sample()
                && capabilities.can_sample_with_tools()
                && capabilities.can_list_roots()
        );
        let none = ClientCapabilities::default();
        assert!(!none.can_sample() && !none.can_sample_with_tools() && !none.can_list_roots());
    }

    #[test]
    fn in_error_data_are_typed() {
        let data: MissingRequiredClientCapabilityData =
            read(r#"{"requiredCapabilities":{"elicitation":{"url":{}}}}"#);
        assert!(data.required_capabilities.can_elicit_url());
        let data: UnsupportedProtocolVersionData =
            read(r#"{"supported":["2026-07-28"],"requested":"x"}"#);
        assert_eq!(data.supported, ["2026-07-28"]);
    }
}
