//! Log messages to the client: `notifications/message`. Deprecated in the protocol, still served.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::NotificationMeta;

/// How severe a log message is, the mildest first; the levels of RFC 5424.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LoggingLevel {
    /// Detail for finding faults.
    Debug,
    /// What goes on.
    Info,
    /// Normal, but worth a note.
    Notice,
    /// Something may go wrong.
    Warning,
    /// Something went wrong.
    Error,
    /// A part fails.
    Critical,
    /// Somebody must act at once.
    Alert,
    /// Nothing works.
    Emergency,
}

/// A log message. Only for requests that ask for them, at or above the level they name.
///
/// Specification: server/utilities/logging.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LoggingMessageNotificationParams {
    /// Metadata.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<NotificationMeta>,
    /// How severe it is.
    pub level: LoggingLevel,
    /// Who logs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logger: Option<String>,
    /// What is logged: a text or any other JSON value.
    pub data: Value,
}

impl LoggingMessageNotificationParams {
    /// A message without a logger's name.
    #[must_use]
    pub fn new(level: LoggingLevel, data: impl Into<Value>) -> Self {
        Self {
            meta: None,
            level,
            logger: None,
            data: data.into(),
        }
    }
}
