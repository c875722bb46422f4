//! Streams of notifications: `subscriptions/listen`, and what comes over them.

use serde::{Deserialize, Serialize};

use super::result::AlwaysComplete;
use super::{JsonObject, Meta, NotificationMeta, RequestMeta};
use crate::rpc::RequestId;

/// Which notifications a client wants. What it does not name here it must not get.
///
/// Specification: basic/patterns/subscriptions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionFilter {
    /// Changes to the list of tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools_list_changed: Option<bool>,
    /// Changes to the list of prompts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompts_list_changed: Option<bool>,
    /// Changes to the list of resources.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources_list_changed: Option<bool>,
    /// Changes to these resources, by URI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_subscriptions: Option<Vec<String>>,
}

/// Opens a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionsListenRequestParams {
    /// Metadata.
    #[serde(rename = "_meta")]
    pub meta: RequestMeta,
    /// What the client wants to hear of.
    pub notifications: SubscriptionFilter,
}

/// The stream has ended in good order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionsListenResult {
    /// Always complete.
    #[serde(default)]
    pub result_type: AlwaysComplete,
    /// Metadata, which names the stream.
    #[serde(rename = "_meta")]
    pub meta: SubscriptionsListenResultMeta,
    /// Members that this revision does not define.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl SubscriptionsListenResult {
    /// The end of the stream that this request opened.
    #[must_use]
    pub fn new(subscription_id: impl Into<RequestId>) -> Self {
        Self {
            result_type: AlwaysComplete,
            meta: SubscriptionsListenResultMeta {
                subscription_id: subscription_id.into(),
                extra: Meta::new(),
            },
            extra: JsonObject::new(),
        }
    }
}

/// The `_meta` of [`SubscriptionsListenResult`]. The schema calls it `SubscriptionsListenResultMetaObject`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubscriptionsListenResultMeta {
    /// The id of the request that opened the stream.
    #[serde(rename = "io.modelcontextprotocol/subscriptionId")]
    pub subscription_id: RequestId,
    /// Everything else.
    #[serde(flatten)]
    pub extra: Meta,
}

/// Says which notifications the server agreed to. The first message of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionsAcknowledgedNotificationParams {
    /// Metadata, which names the stream.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<NotificationMeta>,
    /// Those of the wanted notifications that the server can send.
    pub notifications: SubscriptionFilter,
}

/// A resource has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceUpdatedNotificationParams {
    /// Metadata, which names the stream.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<NotificationMeta>,
    /// The resource's URI, perhaps one below the one subscribed to.
    pub uri: String,
}

/// The parameters of a notification that says no more than its name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NotificationParams {
    /// Metadata, which names the stream.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<NotificationMeta>,
}
