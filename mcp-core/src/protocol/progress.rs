//! News about a long request: `notifications/progress`.

use serde::{Deserialize, Serialize};

use super::NotificationMeta;
use super::wire::{number, optional_number};
use crate::rpc::ProgressToken;

/// How far a request has come. Only for requests that bring a token.
///
/// Specification: basic/patterns/progress.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProgressNotificationParams {
    /// Metadata.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<NotificationMeta>,
    /// The request's token.
    pub progress_token: ProgressToken,
    /// How far it has come; must grow each time.
    #[serde(serialize_with = "number")]
    pub progress: f64,
    /// How far it has to go, if known.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "optional_number"
    )]
    pub total: Option<f64>,
    /// What is being done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl ProgressNotificationParams {
    /// Progress towards an unknown end.
    #[must_use]
    pub fn new(progress_token: impl Into<ProgressToken>, progress: f64) -> Self {
        Self {
            meta: None,
            progress_token: progress_token.into(),
            progress,
            total: None,
            message: None,
        }
    }
}
