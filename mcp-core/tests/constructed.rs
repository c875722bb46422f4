//! What our constructors build is valid by the official schema.

#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeMap;

use mcp_core::Revision;
use mcp_core::protocol::{
    Annotations, AudioContent, BlobResourceContents, CallToolRequest, CallToolRequestParams,
    CallToolResult, CallToolResultResponse, CancelledNotification, CancelledNotificationParams,
    ClientCapabilities, CompleteRequest, CompleteRequestParams, CompleteResult, ContentBlock,
    CreateMessageRequest, CreateMessageRequestParams, CreateMessageResult, DiscoverRequest,
    DiscoverResult, ElicitRequest, ElicitRequestFormParams, ElicitRequestURLParams, ElicitResult,
    ElicitationCapability, EmbeddedResource, EmptyResult, ErrorMessage, GetPromptRequestParams,
    GetPromptResult, Icon, ImageContent, Implementation, InputRequiredResult, InputResponse,
    InputResponses, JsonObject, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListRootsRequest, ListRootsResult, ListToolsRequest, ListToolsResult,
    LoggingLevel, LoggingMessageNotification, LoggingMessageNotificationParams, Meta,
    NotificationMeta, NotificationParams, PaginatedRequestParams, ProgressNotification,
    ProgressNotificationParams, Prompt, PromptArgument, PromptMessage, PromptReference,
    ReadResourceRequestParams, ReadResourceResult, RequestMeta, RequestParams, Resource,
    ResourceLink, ResourceTemplate, ResultMeta, Role, Root, RoundResult, SamplingCapability,
    SamplingMessage, ServerCapabilities, SubscriptionFilter, SubscriptionsAcknowledgedNotification,
    SubscriptionsAcknowledgedNotificationParams, SubscriptionsListenRequest,
    SubscriptionsListenRequestParams, SubscriptionsListenResult, TextContent, TextResourceContents,
    Tool, ToolListChangedNotification,
};
use mcp_core::rpc::{RequestId, RpcError};
use mcp_core::schema::FormSchema;
use serde_json::json;

use support::Schema;

fn object(value: serde_json::Value) -> JsonObject {
    serde_json::from_value(value).unwrap()
}

fn full_meta() -> RequestMeta {
    let capabilities = ClientCapabilities {
        roots: Some(JsonObject::new()),
        sampling: Some(SamplingCapability {
            tools: Some(JsonObject::new()),
            ..Default::default()
        }),
        elicitation: Some(ElicitationCapability {
            url: Some(JsonObject::new()),
            ..Default::default()
        }),
        experimental: Some(BTreeMap::from([("x".to_owned(), JsonObject::new())])),
        ..Default::default()
    };
    RequestMeta {
        client_info: Some(Implementation {
            title: Some("Host".to_owned()),
            icons: Some(vec![Icon::new("https://example.com/icon.png")]),
            ..Implementation::new("host", "1.0.0")
        }),
        log_level: Some(LoggingLevel::Warning),
        progress_token: Some(0.into()),
        ..RequestMeta::new(capabilities)
    }
}

#[test]
fn requests() {
    let Some(schema) = Schema::load() else { return };
    schema.assert_valid("RequestMetaObject", &RequestMeta::default());
    schema.assert_valid("RequestMetaObject", &full_meta());
    schema.assert_valid(
        "DiscoverRequest",
        &DiscoverRequest::new(0, RequestParams::default()),
    );
    schema.assert_valid(
        "ListToolsRequest",
        &ListToolsRequest::new("", PaginatedRequestParams::default()),
    );
    let mut call =
        CallToolRequestParams::new("add").with_arguments(json!({ "a": u64::MAX, "b": i64::MIN }));
    call.meta = full_meta();
    call.request_state = Some("state".to_owned());
    call.input_responses = Some(InputResponses::from([
        (
            "form".to_owned(),
            InputResponse::from(&ElicitResult::accept(object(
                json!({ "name": "x", "n": 3 }),
            ))),
        ),
        (
            "url".to_owned(),
            InputResponse::from(&ElicitResult::accept_url()),
        ),
        (
            "no".to_owned(),
            InputResponse::from(&ElicitResult::decline()),
        ),
        (
            "later".to_owned(),
            InputResponse::from(&ElicitResult::cancel()),
        ),
        (
            "sample".to_owned(),
            InputResponse::from(&CreateMessageResult::new(
                "model",
                TextContent::new("Paris"),
            )),
        ),
        (
            "roots".to_owned(),
            InputResponse::from(&ListRootsResult {
                roots: vec![Root::new("file:///project")],
            }),
        ),
    ]));
    schema.assert_valid("CallToolRequest", &CallToolRequest::new(u64::MAX, call));
    schema.assert_valid(
        "GetPromptRequestParams",
        &GetPromptRequestParams::new("review"),
    );
    schema.assert_valid(
        "ReadResourceRequestParams",
        &ReadResourceRequestParams::new("note://1"),
    );
    let reference = PromptReference {
        name: "review".to_owned(),
        title: None,
    };
    schema.assert_valid(
        "CompleteRequest",
        &CompleteRequest::new(
            "id",
            CompleteRequestParams::new(reference, "language", "py"),
        ),
    );
    let listen = SubscriptionsListenRequestParams {
        notifications: SubscriptionFilter {
            tools_list_changed: Some(true),
            ..Default::default()
        },
        ..Default::default()
    };
    schema.assert_valid(
        "SubscriptionsListenRequest",
        &SubscriptionsListenRequest::new(-1, listen),
    );
}

#[test]
fn results() {
    let Some(schema) = Schema::load() else { return };
    schema.assert_valid("EmptyResult", &EmptyResult::default());
    schema.assert_valid(
        "DiscoverResult",
        &DiscoverResult::new(ServerCapabilities::default()),
    );
    schema.assert_valid("ListToolsResult", &ListToolsResult::default());
    let tool = Tool::new("add", object(json!({ "type": "object" })));
    schema.assert_valid(
        "ListToolsResult",
        &ListToolsResult {
            tools: vec![tool],
            ..Default::default()
        },
    );
    schema.assert_valid("ListPromptsResult", &ListPromptsResult::default());
    let prompt = Prompt {
        arguments: Some(vec![PromptArgument::new("language")]),
        ..Prompt::new("review")
    };
    schema.assert_valid(
        "ListPromptsResult",
        &ListPromptsResult {
            prompts: vec![prompt],
            ..Default::default()
        },
    );
    schema.assert_valid(
        "ListResourcesResult",
        &ListResourcesResult {
            resources: vec![Resource::new("note://1", "one")],
            ..Default::default()
        },
    );
    schema.assert_valid(
        "ListResourceTemplatesResult",
        &ListResourceTemplatesResult {
            resource_templates: vec![ResourceTemplate::new("note://{id}", "note")],
            ..Default::default()
        },
    );
    schema.assert_valid(
        "ReadResourceResult",
        &ReadResourceResult {
            contents: vec![
                TextResourceContents::new("note://1", "text").into(),
                BlobResourceContents::new("note://2", "+/8=").into(),
            ],
            ..Default::default()
        },
    );
    let message = PromptMessage::new(Role::User, TextContent::new("Review this"));
    schema.assert_valid(
        "GetPromptResult",
        &GetPromptResult {
            messages: vec![message],
            ..Default::default()
        },
    );
    schema.assert_valid("CompleteResult", &CompleteResult::default());
    schema.assert_valid(
        "SubscriptionsListenResult",
        &SubscriptionsListenResult::new("listen-1"),
    );
    schema.assert_valid("CallToolResult", &CallToolResult::default());
    schema.assert_valid("CallToolResult", &CallToolResult::error("no such order"));
    schema.assert_valid(
        "CallToolResult",
        &CallToolResult::structured(json!({ "sum": 3 })),
    );
    let mut meta = Meta::new();
    meta.set_server_info(&Implementation::new("shop", "1.0.0"));
    let named = CallToolResult {
        meta: Some(meta),
        ..CallToolResult::text("3")
    };
    schema.assert_valid(
        "CallToolResultResponse",
        &CallToolResultResponse::new(7, named.into()),
    );
}

#[test]
fn content() {
    let Some(schema) = Schema::load() else { return };
    let annotations = Annotations {
        audience: Some(vec![Role::User]),
        priority: Some(1.0),
        last_modified: None,
    };
    let text = TextContent {
        annotations: Some(annotations),
        ..TextContent::new("text")
    };
    for block in [
        ContentBlock::from(text),
        ImageContent::new("+/8=", "image/png").into(),
        AudioContent::new("+/8=", "audio/wav").into(),
        ResourceLink::new("note://1", "one").into(),
        EmbeddedResource::new(TextResourceContents::new("note://1", "text")).into(),
        EmbeddedResource::new(BlobResourceContents::new("note://1", "")).into(),
    ] {
        schema.assert_valid("ContentBlock", &block);
    }
}

#[test]
fn questions() {
    let Some(schema) = Schema::load() else { return };
    let messages = vec![SamplingMessage::new(
        Role::User,
        TextContent::new("What is the capital of France?"),
    )];
    let result = InputRequiredResult::ask(
        "confirm",
        ElicitRequest::new(ElicitRequestFormParams::new("Really?", FormSchema::new())),
    )
    .and_ask(
        "page",
        ElicitRequest::new(ElicitRequestURLParams::new(
            "Sign in",
            "https://example.com/",
        )),
    )
    .and_ask(
        "capital",
        CreateMessageRequest::new(CreateMessageRequestParams::new(messages, 100)),
    )
    .and_ask("roots", ListRootsRequest::default())
    .with_state("state");
    assert!(!result.is_empty());
    schema.assert_valid("InputRequiredResult", &result);
    let response = CallToolResultResponse::new(7, RoundResult::InputRequired(result));
    schema.assert_valid("CallToolResultResponse", &response);
    schema.assert_valid(
        "InputRequiredResult",
        &InputRequiredResult::default().with_state("state"),
    );
}

#[test]
fn notifications() {
    let Some(schema) = Schema::load() else { return };
    schema.assert_valid(
        "CancelledNotification",
        &CancelledNotification::new(CancelledNotificationParams::new("7")),
    );
    for progress in [0.0, 0.5, 50.0, 1e300] {
        let params = ProgressNotificationParams::new("token", progress);
        schema.assert_valid("ProgressNotification", &ProgressNotification::new(params));
    }
    schema.assert_valid(
        "LoggingMessageNotification",
        &LoggingMessageNotification::new(LoggingMessageNotificationParams::new(
            LoggingLevel::Info,
            "hello",
        )),
    );
    schema.assert_valid(
        "ToolListChangedNotification",
        &ToolListChangedNotification::new(NotificationParams::default()),
    );
    let params = SubscriptionsAcknowledgedNotificationParams {
        meta: Some(NotificationMeta::of_subscription(7)),
        ..Default::default()
    };
    schema.assert_valid(
        "SubscriptionsAcknowledgedNotification",
        &SubscriptionsAcknowledgedNotification::new(params),
    );
}

#[test]
fn errors() {
    let Some(schema) = Schema::load() else { return };
    let unsupported = RpcError::unsupported_version("2030-01-01", &[Revision::LATEST.as_str()]);
    schema.assert_valid(
        "UnsupportedProtocolVersionError",
        &ErrorMessage::new(Some(RequestId::from(1)), unsupported),
    );
    let missing = RpcError::missing_client_capability(json!({ "elicitation": {} }));
    schema.assert_valid(
        "MissingRequiredClientCapabilityError",
        &ErrorMessage::new(Some(RequestId::from("1")), missing),
    );
    schema.assert_valid(
        "JSONRPCErrorResponse",
        &ErrorMessage::new(None, RpcError::parse_error("not JSON")),
    );
}
