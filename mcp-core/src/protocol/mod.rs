//! The messages of revision 2026-07-28, named as in the official schema.
//!
//! * Members have snake-case names here and the schema's names on the wire. Optional ones that are `None` are not
//!   written.
//! * Where the specification leaves a type open (results, capabilities, `_meta`), members that this revision
//!   does not define survive in `extra`. Elsewhere they are ignored.
//! * Every method is a type, such as [`CallTool`], that implements [`Method`] or [`Notification`]; so a name, its
//!   parameters and its result cannot be mixed up.
//! * What belongs to somebody else's type (arguments, structured results, answers) stays [`RawJson`].
//! * Types with required members have a `new` for those, and public members for the others.
//!
//! ```
//! use mcp_core::protocol::{CallToolRequest, CallToolRequestParams, CallToolResponse, CallToolResult};
//! use serde_json::json;
//!
//! let params = CallToolRequestParams::new("add").with_arguments(json!({ "a": 1, "b": 2 }));
//! let request = CallToolRequest::new(7, params);
//! assert!(serde_json::to_string(&request)?.starts_with(r#"{"jsonrpc":"2.0","id":7,"method":"tools/call""#));
//!
//! let response: CallToolResponse = serde_json::from_str(r#"{"content":[{"type":"text","text":"3"}]}"#)?;
//! assert_eq!(response, CallToolResponse::Complete(CallToolResult::text("3")));
//! # Ok::<(), serde_json::Error>(())
//! ```

use serde::Serialize;
use serde::de::DeserializeOwned;

mod blob;
mod caching;
mod cancellation;
mod capabilities;
mod completion;
mod content;
mod discover;
mod elicitation;
mod error;
mod implementation;
mod input;
mod logging;
mod message;
pub mod meta;
pub mod method;
mod pagination;
mod progress;
mod prompts;
mod raw;
mod resources;
mod result;
mod roots;
mod sampling;
mod subscriptions;
mod tools;
mod wire;

pub use self::blob::InvalidBase64;
pub use self::caching::CacheScope;
pub use self::cancellation::CancelledNotificationParams;
pub use self::capabilities::{
    ClientCapabilities, ElicitationCapability, ListCapability, ResourcesCapability,
    SamplingCapability, ServerCapabilities,
};
pub use self::completion::{
    CompleteRequestParams, CompleteResult, Completion, CompletionArgument, CompletionContext,
    CompletionReference, PromptReference, ResourceTemplateReference,
};
pub use self::content::{
    Annotations, AudioContent, ContentBlock, EmbeddedResource, ImageContent, ResourceLink, Role,
    TextContent,
};
pub use self::discover::{DiscoverResult, RequestParams};
pub use self::elicitation::{
    ElicitAction, ElicitRequest, ElicitRequestFormParams, ElicitRequestParams,
    ElicitRequestURLParams, ElicitResult, FormMode, UrlMode,
};
pub use self::error::{MissingRequiredClientCapabilityData, UnsupportedProtocolVersionData};
pub use self::implementation::{Icon, IconTheme, Implementation};
pub use self::input::{
    InputRequest, InputRequests, InputRequiredResult, InputResponse, InputResponses,
    WrongInputResponse,
};
pub use self::logging::{LoggingLevel, LoggingMessageNotificationParams};
pub use self::message::{
    CallToolRequest, CallToolResultResponse, CancelledNotification, CompleteRequest,
    CompleteResultResponse, DiscoverRequest, DiscoverResultResponse, ErrorMessage,
    GetPromptRequest, GetPromptResultResponse, ListPromptsRequest, ListPromptsResultResponse,
    ListResourceTemplatesRequest, ListResourceTemplatesResultResponse, ListResourcesRequest,
    ListResourcesResultResponse, ListToolsRequest, ListToolsResultResponse,
    LoggingMessageNotification, NotificationMessage, ProgressNotification,
    PromptListChangedNotification, ReadResourceRequest, ReadResourceResultResponse, RequestMessage,
    ResourceListChangedNotification, ResourceUpdatedNotification, ResponseMessage,
    SubscriptionsAcknowledgedNotification, SubscriptionsListenRequest,
    SubscriptionsListenResultResponse, ToolListChangedNotification,
};
pub use self::meta::{Meta, NotificationMeta, RequestMeta, ResultMeta};
pub use self::method::{
    CallTool, Cancelled, Complete, CreateMessage, Discover, Elicit, GetPrompt, ListPrompts,
    ListResourceTemplates, ListResources, ListRoots, ListTools, LoggingMessage, Progress,
    PromptListChanged, ReadResource, ResourceListChanged, ResourceUpdated,
    SubscriptionsAcknowledged, SubscriptionsListen, ToolListChanged,
};
pub use self::pagination::{Cursor, PaginatedRequestParams};
pub use self::progress::ProgressNotificationParams;
pub use self::prompts::{
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, ListPromptsResult, Prompt,
    PromptArgument, PromptMessage,
};
pub use self::raw::RawJson;
pub use self::resources::{
    BlobResourceContents, ListResourceTemplatesResult, ListResourcesResult,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate, TextResourceContents,
};
pub use self::result::{
    AlwaysComplete, AlwaysInputRequired, EmptyResult, ResultType, RoundResult, result_type_of,
};
pub use self::roots::{ListRootsRequest, ListRootsRequestParams, ListRootsResult, Root};
pub use self::sampling::{
    CreateMessageRequest, CreateMessageRequestParams, CreateMessageResult, IncludeContext,
    ModelHint, ModelPreferences, SamplingContent, SamplingMessage, SamplingMessageContentBlock,
    StopReason, ToolChoice, ToolChoiceMode, ToolResultContent, ToolUseContent,
};
pub use self::subscriptions::{
    NotificationParams, ResourceUpdatedNotificationParams, SubscriptionFilter,
    SubscriptionsAcknowledgedNotificationParams, SubscriptionsListenRequestParams,
    SubscriptionsListenResult, SubscriptionsListenResultMeta,
};
pub use self::tools::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ListToolsResult, Tool, ToolAnnotations,
};

/// A JSON object; the schema's `JSONObject`.
pub type JsonObject = serde_json::Map<String, serde_json::Value>;

/// A request method: its name, what it takes and what it gives.
pub trait Method: 'static {
    /// The name on the wire.
    const NAME: &'static str;
    /// The parameters.
    type Params: Serialize + DeserializeOwned;
    /// The result.
    type Result: Serialize + DeserializeOwned;
}

/// A kind of notification: its name and what it says.
pub trait Notification: 'static {
    /// The name on the wire.
    const NAME: &'static str;
    /// The parameters.
    type Params: Serialize + DeserializeOwned;
}
