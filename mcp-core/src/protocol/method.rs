//! The methods of the protocol, each a type that ties name, parameters and result together.

use super::{
    CallToolRequestParams, CallToolResponse, CancelledNotificationParams, CompleteRequestParams,
    CompleteResult, CreateMessageRequestParams, CreateMessageResult, DiscoverResult,
    ElicitRequestParams, ElicitResult, GetPromptRequestParams, GetPromptResponse,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListRootsRequestParams,
    ListRootsResult, ListToolsResult, LoggingMessageNotificationParams, Method, Notification,
    NotificationParams, PaginatedRequestParams, ProgressNotificationParams,
    ReadResourceRequestParams, ReadResourceResponse, RequestParams,
    ResourceUpdatedNotificationParams, SubscriptionsAcknowledgedNotificationParams,
    SubscriptionsListenRequestParams, SubscriptionsListenResult,
};

macro_rules! methods {
    ($($(#[$doc:meta])* $name:ident = $method:literal, $params:ty => $result:ty;)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $name;

        impl Method for $name {
            const NAME: &'static str = $method;
            type Params = $params;
            type Result = $result;
        }
    )+};
}

methods! {
    /// `server/discover`: what the server is and can do.
    Discover = "server/discover", RequestParams => DiscoverResult;
    /// `tools/list`: one page of the list of tools.
    ListTools = "tools/list", PaginatedRequestParams => ListToolsResult;
    /// `tools/call`: one round of a call.
    CallTool = "tools/call", CallToolRequestParams => CallToolResponse;
    /// `prompts/list`: one page of the list of prompts.
    ListPrompts = "prompts/list", PaginatedRequestParams => ListPromptsResult;
    /// `prompts/get`: one round of filling in a prompt.
    GetPrompt = "prompts/get", GetPromptRequestParams => GetPromptResponse;
    /// `resources/list`: one page of the list of resources.
    ListResources = "resources/list", PaginatedRequestParams => ListResourcesResult;
    /// `resources/templates/list`: one page of the list of resource templates.
    ListResourceTemplates = "resources/templates/list", PaginatedRequestParams => ListResourceTemplatesResult;
    /// `resources/read`: one round of reading a resource.
    ReadResource = "resources/read", ReadResourceRequestParams => ReadResourceResponse;
    /// `completion/complete`: suggestions for an argument.
    Complete = "completion/complete", CompleteRequestParams => CompleteResult;
    /// `subscriptions/listen`: a stream of notifications.
    SubscriptionsListen = "subscriptions/listen", SubscriptionsListenRequestParams => SubscriptionsListenResult;
    /// `elicitation/create`: ask the user. Only as an input request.
    Elicit = "elicitation/create", ElicitRequestParams => ElicitResult;
    /// `sampling/createMessage`: sample from a language model. Only as an input request.
    CreateMessage = "sampling/createMessage", CreateMessageRequestParams => CreateMessageResult;
    /// `roots/list`: the client's roots. Only as an input request.
    ListRoots = "roots/list", ListRootsRequestParams => ListRootsResult;
}

macro_rules! notifications {
    ($($(#[$doc:meta])* $name:ident = $method:literal, $params:ty;)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $name;

        impl Notification for $name {
            const NAME: &'static str = $method;
            type Params = $params;
        }
    )+};
}

notifications! {
    /// `notifications/cancelled`: a request is given up.
    Cancelled = "notifications/cancelled", CancelledNotificationParams;
    /// `notifications/progress`: how far a request has come.
    Progress = "notifications/progress", ProgressNotificationParams;
    /// `notifications/message`: a log message.
    LoggingMessage = "notifications/message", LoggingMessageNotificationParams;
    /// `notifications/tools/list_changed`: the list of tools has changed.
    ToolListChanged = "notifications/tools/list_changed", NotificationParams;
    /// `notifications/prompts/list_changed`: the list of prompts has changed.
    PromptListChanged = "notifications/prompts/list_changed", NotificationParams;
    /// `notifications/resources/list_changed`: the list of resources has changed.
    ResourceListChanged = "notifications/resources/list_changed", NotificationParams;
    /// `notifications/resources/updated`: a resource has changed.
    ResourceUpdated = "notifications/resources/updated", ResourceUpdatedNotificationParams;
    /// `notifications/subscriptions/acknowledged`: what a stream will carry.
    SubscriptionsAcknowledged =
        "notifications/subscriptions/acknowledged", SubscriptionsAcknowledgedNotificationParams;
}
