//! Every official example parses into the type of its name, and serialises to the same JSON.

#![allow(clippy::unwrap_used)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use mcp_core::protocol::{self, ErrorMessage, Meta};
use mcp_core::rpc::{ProgressToken, RequestId, RpcError};
use mcp_core::schema::FormSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use support::{Schema, spec_dir};

/// Parses a text and gives back what the parsed value serialises to.
type RoundTrip = fn(&str) -> Result<Value, serde_json::Error>;

fn round_trip<T: Serialize + DeserializeOwned + PartialEq + Debug>(
    text: &str,
) -> Result<Value, serde_json::Error> {
    let parsed: T = serde_json::from_str(text)?;
    let written = serde_json::to_value(&parsed)?;
    // A tree and a text must read alike.
    assert_eq!(
        serde_json::to_value(serde_json::from_value::<T>(written.clone())?)?,
        written
    );
    let line = serde_json::to_string(&parsed)?;
    assert!(!line.contains('\n'), "more than one line: {line}");
    assert_eq!(serde_json::from_str::<T>(&line)?, parsed);
    Ok(written)
}

/// The schema of one form field, which is a type of its own only inside a form.
fn form_field(text: &str) -> Result<Value, serde_json::Error> {
    let field: Value = serde_json::from_str(text)?;
    let form: FormSchema =
        serde_json::from_value(json!({ "type": "object", "properties": { "field": field } }))?;
    Ok(serde_json::to_value(form)?["properties"]["field"].take())
}

macro_rules! table {
    ($($name:ident,)+; $($other:literal => $round_trip:expr,)+) => {
        fn table() -> BTreeMap<&'static str, RoundTrip> {
            BTreeMap::from([
                $((stringify!($name), round_trip::<protocol::$name> as RoundTrip),)+
                $(($other, $round_trip as RoundTrip),)+
            ])
        }
    };
}

table! {
    Annotations,
    AudioContent,
    BlobResourceContents,
    CallToolRequest,
    CallToolRequestParams,
    CallToolResult,
    CallToolResultResponse,
    CancelledNotification,
    CancelledNotificationParams,
    ClientCapabilities,
    CompleteRequest,
    CompleteRequestParams,
    CompleteResult,
    CompleteResultResponse,
    ContentBlock,
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    Cursor,
    DiscoverRequest,
    DiscoverResult,
    DiscoverResultResponse,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitRequestParams,
    ElicitRequestURLParams,
    ElicitResult,
    EmbeddedResource,
    EmptyResult,
    GetPromptRequest,
    GetPromptRequestParams,
    GetPromptResult,
    GetPromptResultResponse,
    Icon,
    ImageContent,
    Implementation,
    InputRequest,
    InputRequests,
    InputRequiredResult,
    InputResponse,
    InputResponses,
    ListPromptsRequest,
    ListPromptsResult,
    ListPromptsResultResponse,
    ListResourceTemplatesRequest,
    ListResourceTemplatesResult,
    ListResourceTemplatesResultResponse,
    ListResourcesRequest,
    ListResourcesResult,
    ListResourcesResultResponse,
    ListRootsRequest,
    ListRootsResult,
    ListToolsRequest,
    ListToolsResult,
    ListToolsResultResponse,
    LoggingLevel,
    LoggingMessageNotification,
    LoggingMessageNotificationParams,
    ModelHint,
    ModelPreferences,
    NotificationParams,
    PaginatedRequestParams,
    ProgressNotification,
    ProgressNotificationParams,
    Prompt,
    PromptArgument,
    PromptListChangedNotification,
    PromptMessage,
    PromptReference,
    ReadResourceRequest,
    ReadResourceRequestParams,
    ReadResourceResult,
    ReadResourceResultResponse,
    RequestParams,
    Resource,
    ResourceContents,
    ResourceLink,
    ResourceListChangedNotification,
    ResourceTemplate,
    ResourceTemplateReference,
    ResourceUpdatedNotification,
    ResourceUpdatedNotificationParams,
    ResultType,
    Role,
    Root,
    SamplingMessage,
    SamplingMessageContentBlock,
    ServerCapabilities,
    SubscriptionFilter,
    SubscriptionsAcknowledgedNotification,
    SubscriptionsAcknowledgedNotificationParams,
    SubscriptionsListenRequest,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
    SubscriptionsListenResultResponse,
    TextContent,
    TextResourceContents,
    Tool,
    ToolAnnotations,
    ToolChoice,
    ToolListChangedNotification,
    ToolResultContent,
    ToolUseContent,
    ;
    // Types with another name or in another module.
    "JSONObject" => round_trip::<protocol::JsonObject>,
    "JSONValue" => round_trip::<Value>,
    "JSONArray" => round_trip::<Vec<Value>>,
    "MetaObject" => round_trip::<Meta>,
    "ResultMetaObject" => round_trip::<Meta>,
    "RequestMetaObject" => round_trip::<protocol::RequestMeta>,
    "NotificationMetaObject" => round_trip::<protocol::NotificationMeta>,
    "SubscriptionsListenResultMetaObject" => round_trip::<protocol::SubscriptionsListenResultMeta>,
    "RequestId" => round_trip::<RequestId>,
    "ProgressToken" => round_trip::<ProgressToken>,
    "Error" => round_trip::<RpcError>,
    "ParseError" => round_trip::<RpcError>,
    "InvalidRequestError" => round_trip::<RpcError>,
    "MethodNotFoundError" => round_trip::<RpcError>,
    "InvalidParamsError" => round_trip::<RpcError>,
    "InternalError" => round_trip::<RpcError>,
    "JSONRPCErrorResponse" => round_trip::<ErrorMessage>,
    "HeaderMismatchError" => round_trip::<ErrorMessage>,
    "MissingRequiredClientCapabilityError" => round_trip::<ErrorMessage>,
    "UnsupportedProtocolVersionError" => round_trip::<ErrorMessage>,
    "StringSchema" => form_field,
    "NumberSchema" => form_field,
    "BooleanSchema" => form_field,
    "UntitledSingleSelectEnumSchema" => form_field,
    "TitledSingleSelectEnumSchema" => form_field,
    "UntitledMultiSelectEnumSchema" => form_field,
    "TitledMultiSelectEnumSchema" => form_field,
    "LegacyTitledEnumSchema" => form_field,
    "SingleSelectEnumSchema" => form_field,
    "MultiSelectEnumSchema" => form_field,
    "EnumSchema" => form_field,
    "PrimitiveSchemaDefinition" => form_field,
}

/// Definitions that are no types here.
const NO_TYPES: &[&str] = &[
    // Bases that others inherit from; their members are written out.
    "BaseMetadata",
    "CacheableResult",
    "Icons",
    "InputResponseRequestParams",
    "Notification",
    "PaginatedRequest",
    "PaginatedResult",
    "Request",
    "ResourceRequestParams",
    "Result",
    // Unions over all methods: a method is a type, and the envelope keeps its parameters raw until it is known.
    "ClientNotification",
    "ClientRequest",
    "ClientResult",
    "JSONRPCMessage",
    "JSONRPCNotification",
    "JSONRPCRequest",
    "JSONRPCResponse",
    "JSONRPCResultResponse",
    "ServerNotification",
    "ServerResult",
];

#[test]
fn official_examples_survive() {
    let (Some(dir), Some(schema)) = (spec_dir(), Schema::load()) else {
        return;
    };
    let table = table();
    let mut faults = Vec::new();
    let mut count = 0;
    for folder in std::fs::read_dir(dir.join("examples")).unwrap() {
        let folder = folder.unwrap();
        let name = folder.file_name().into_string().unwrap();
        let Some(round_trip) = table.get(&*name) else {
            faults.push(format!("{name}: no type of that name in the table"));
            continue;
        };
        for file in std::fs::read_dir(folder.path()).unwrap() {
            let path = file.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            let given: Value = serde_json::from_str(&text).unwrap();
            count += 1;
            match round_trip(&text) {
                Err(error) => faults.push(format!("{}: {error}", path.display())),
                Ok(written) if written != given => {
                    faults.push(format!("{}: {given:#}\nbecame {written:#}", path.display()));
                }
                Ok(written) => {
                    let invalid = schema.faults(&name, &written);
                    faults.extend(
                        invalid
                            .iter()
                            .map(|fault| format!("{}: {fault}", path.display())),
                    );
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(count >= 100, "only {count} examples found");
}

#[test]
fn every_definition_has_a_type() {
    let Some(schema) = Schema::load() else { return };
    let table = table();
    let defined = schema.names();
    let known: BTreeSet<String> = table
        .keys()
        .chain(NO_TYPES)
        .map(ToString::to_string)
        .collect();
    let missing: Vec<_> = defined.difference(&known).collect();
    assert!(
        missing.is_empty(),
        "definitions without a type: {missing:?}"
    );
    // A name that the schema does not have may be a misspelt one.
    let unknown: Vec<_> = known.difference(&defined).collect();
    assert!(
        unknown.is_empty(),
        "names that the schema does not have: {unknown:?}"
    );
}
