//! Giving a request up: `notifications/cancelled`.

use serde::{Deserialize, Serialize};

use super::NotificationMeta;
use crate::rpc::RequestId;

/// The sender has no more use for the answer to this request.
///
/// Specification: basic/patterns/cancellation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CancelledNotificationParams {
    /// Metadata.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<NotificationMeta>,
    /// The request's id.
    pub request_id: RequestId,
    /// Why, for logs or people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl CancelledNotificationParams {
    /// A cancellation without a reason.
    #[must_use]
    pub fn new(request_id: impl Into<RequestId>) -> Self {
        Self {
            meta: None,
            request_id: request_id.into(),
            reason: None,
        }
    }
}
