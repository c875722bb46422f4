//! Whole messages of one method: the envelope and its typed payload.

use std::borrow::Cow;

use serde::de::value::MapDeserializer;
use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, SerializeStruct, Serializer};

use super::wire::constant;
use super::{
    CallTool, Cancelled, Complete, Discover, GetPrompt, ListPrompts, ListResourceTemplates,
    ListResources, ListTools, LoggingMessage, Method, Notification, Progress, PromptListChanged,
    ReadResource, ResourceListChanged, ResourceUpdated, SubscriptionsAcknowledged,
    SubscriptionsListen, ToolListChanged,
};
use crate::rpc::{RequestId, RpcError};

constant!(
    /// The `jsonrpc` member.
    JsonRpcVersion = "2.0"
);

/// A JSON-RPC request of the method `M`.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestMessage<M: Method> {
    /// What the answer will repeat.
    pub id: RequestId,
    /// The parameters.
    pub params: M::Params,
}

impl<M: Method> RequestMessage<M> {
    /// A request of these parameters.
    pub fn new(id: impl Into<RequestId>, params: M::Params) -> Self {
        Self {
            id: id.into(),
            params,
        }
    }
}

impl<M: Method> Serialize for RequestMessage<M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut message = serializer.serialize_struct("Request", 4)?;
        message.serialize_field("jsonrpc", &JsonRpcVersion)?;
        message.serialize_field("id", &self.id)?;
        message.serialize_field("method", M::NAME)?;
        message.serialize_field("params", &self.params)?;
        message.end()
    }
}

impl<'de, M: Method> Deserialize<'de> for RequestMessage<M> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        struct Wire<'a, P> {
            #[serde(rename = "jsonrpc")]
            _jsonrpc: JsonRpcVersion,
            id: RequestId,
            #[serde(borrow)]
            method: Cow<'a, str>,
            params: P,
        }

        let wire = Wire::<M::Params>::deserialize(deserializer)?;
        expect_method::<D::Error>(&wire.method, M::NAME)?;
        Ok(Self {
            id: wire.id,
            params: wire.params,
        })
    }
}

/// A JSON-RPC response with the result of the method `M`.
#[derive(Debug, Clone, PartialEq)]
pub struct ResponseMessage<M: Method> {
    /// The request's id.
    pub id: RequestId,
    /// The result.
    pub result: M::Result,
}

impl<M: Method> ResponseMessage<M> {
    /// The answer to the request of this id.
    pub fn new(id: impl Into<RequestId>, result: M::Result) -> Self {
        Self {
            id: id.into(),
            result,
        }
    }
}

impl<M: Method> Serialize for ResponseMessage<M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut message = serializer.serialize_struct("Response", 3)?;
        message.serialize_field("jsonrpc", &JsonRpcVersion)?;
        message.serialize_field("id", &self.id)?;
        message.serialize_field("result", &self.result)?;
        message.end()
    }
}

impl<'de, M: Method> Deserialize<'de> for ResponseMessage<M> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        struct Wire<R> {
            #[serde(rename = "jsonrpc")]
            _jsonrpc: JsonRpcVersion,
            id: RequestId,
            result: R,
        }

        let wire = Wire::<M::Result>::deserialize(deserializer)?;
        Ok(Self {
            id: wire.id,
            result: wire.result,
        })
    }
}

/// A JSON-RPC response with an error; the schema's `JSONRPCErrorResponse`.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
pub struct ErrorMessage {
    #[serde(rename = "jsonrpc")]
    _jsonrpc: JsonRpcVersion,
    /// The request's id; absent where it could not be read.
    pub id: Option<RequestId>,
    /// What went wrong.
    pub error: RpcError,
}

impl ErrorMessage {
    /// The answer to the request of this id.
    #[must_use]
    pub fn new(id: Option<RequestId>, error: RpcError) -> Self {
        Self {
            _jsonrpc: JsonRpcVersion,
            id,
            error,
        }
    }
}

impl Serialize for ErrorMessage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let members = 2 + usize::from(self.id.is_some());
        let mut message = serializer.serialize_struct("Response", members)?;
        message.serialize_field("jsonrpc", &JsonRpcVersion)?;
        if let Some(id) = &self.id {
            message.serialize_field("id", id)?;
        }
        message.serialize_field("error", &self.error)?;
        message.end()
    }
}

/// A JSON-RPC notification of the kind `N`.
#[derive(Debug, Clone, PartialEq)]
pub struct NotificationMessage<N: Notification> {
    /// The parameters.
    pub params: N::Params,
}

impl<N: Notification> NotificationMessage<N> {
    /// A notification of these parameters.
    pub fn new(params: N::Params) -> Self {
        Self { params }
    }
}

impl<N: Notification> Serialize for NotificationMessage<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut message = serializer.serialize_struct("Notification", 3)?;
        message.serialize_field("jsonrpc", &JsonRpcVersion)?;
        message.serialize_field("method", N::NAME)?;
        message.serialize_field("params", &self.params)?;
        message.end()
    }
}

impl<'de, N: Notification> Deserialize<'de> for NotificationMessage<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        struct Wire<'a, P> {
            #[serde(rename = "jsonrpc")]
            _jsonrpc: JsonRpcVersion,
            #[serde(borrow)]
            method: Cow<'a, str>,
            #[serde(default = "Option::default")]
            params: Option<P>,
        }

        let wire = Wire::<N::Params>::deserialize(deserializer)?;
        expect_method::<D::Error>(&wire.method, N::NAME)?;
        let params = match wire.params {
            Some(params) => params,
            // Absent parameters are empty ones: enough for some notifications, and an error that names the
            // missing member for the others.
            None => {
                N::Params::deserialize(MapDeserializer::new(std::iter::empty::<(&str, &str)>()))?
            }
        };
        Ok(Self { params })
    }
}

fn expect_method<E: serde::de::Error>(found: &str, expected: &'static str) -> Result<(), E> {
    if found == expected {
        return Ok(());
    }
    Err(E::custom(format_args!(
        "expected a message of method `{expected}`, found `{found}`"
    )))
}

/// A `server/discover` request.
pub type DiscoverRequest = RequestMessage<Discover>;
/// A `tools/list` request.
pub type ListToolsRequest = RequestMessage<ListTools>;
/// A `tools/call` request.
pub type CallToolRequest = RequestMessage<CallTool>;
/// A `prompts/list` request.
pub type ListPromptsRequest = RequestMessage<ListPrompts>;
/// A `prompts/get` request.
pub type GetPromptRequest = RequestMessage<GetPrompt>;
/// A `resources/list` request.
pub type ListResourcesRequest = RequestMessage<ListResources>;
/// A `resources/templates/list` request.
pub type ListResourceTemplatesRequest = RequestMessage<ListResourceTemplates>;
/// A `resources/read` request.
pub type ReadResourceRequest = RequestMessage<ReadResource>;
/// A `completion/complete` request.
pub type CompleteRequest = RequestMessage<Complete>;
/// A `subscriptions/listen` request.
pub type SubscriptionsListenRequest = RequestMessage<SubscriptionsListen>;

/// The response to a `server/discover` request.
pub type DiscoverResultResponse = ResponseMessage<Discover>;
/// The response to a `tools/list` request.
pub type ListToolsResultResponse = ResponseMessage<ListTools>;
/// The response to a `tools/call` request.
pub type CallToolResultResponse = ResponseMessage<CallTool>;
/// The response to a `prompts/list` request.
pub type ListPromptsResultResponse = ResponseMessage<ListPrompts>;
/// The response to a `prompts/get` request.
pub type GetPromptResultResponse = ResponseMessage<GetPrompt>;
/// The response to a `resources/list` request.
pub type ListResourcesResultResponse = ResponseMessage<ListResources>;
/// The response to a `resources/templates/list` request.
pub type ListResourceTemplatesResultResponse = ResponseMessage<ListResourceTemplates>;
/// The response to a `resources/read` request.
pub type ReadResourceResultResponse = ResponseMessage<ReadResource>;
/// The response to a `completion/complete` request.
pub type CompleteResultResponse = ResponseMessage<Complete>;
/// The response to a `subscriptions/listen` request.
pub type SubscriptionsListenResultResponse = ResponseMessage<SubscriptionsListen>;

/// A `notifications/cancelled` message.
pub type CancelledNotification = NotificationMessage<Cancelled>;
/// A `notifications/progress` message.
pub type ProgressNotification = NotificationMessage<Progress>;
/// A `notifications/message` message.
pub type LoggingMessageNotification = NotificationMessage<LoggingMessage>;
/// A `notifications/tools/list_changed` message.
pub type ToolListChangedNotification = NotificationMessage<ToolListChanged>;
/// A `notifications/prompts/list_changed` message.
pub type PromptListChangedNotification = NotificationMessage<PromptListChanged>;
/// A `notifications/resources/list_changed` message.
pub type ResourceListChangedNotification = NotificationMessage<ResourceListChanged>;
/// A `notifications/resources/updated` message.
pub type ResourceUpdatedNotification = NotificationMessage<ResourceUpdated>;
/// A `notifications/subscriptions/acknowledged` message.
pub type SubscriptionsAcknowledgedNotification = NotificationMessage<SubscriptionsAcknowledged>;
