//! The level of log messages, which is the connection's: the most that any request asked for.
//!
//! Specification: 2025-11-25, server/utilities/logging.

use std::time::Duration;

use mcp_core::protocol::LoggingLevel;
use serde_json::json;
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::client::Client;
use crate::excerpt::Excerpt;

use super::connection::Connection;

/// How long calls wait for the answer: log messages are worth less than they.
const PATIENCE: Duration = Duration::from_secs(5);

/// What the server was told.
#[derive(Debug, Default)]
pub(super) struct Level(Mutex<Option<LoggingLevel>>);

impl Level {
    /// Tells the server, unless it sends as much already.
    pub(super) async fn want(&self, old: &Connection, client: &Client, level: LoggingLevel) {
        let mut told = self.0.lock().await;
        if told.is_some_and(|told| told <= level) {
            return;
        }
        // Told once: a server that refuses it does so the next time as well.
        *told = Some(level);
        tell(old, client, level).await;
    }

    /// Tells the server again, in another session.
    pub(super) async fn repeat(&self, old: &Connection, client: &Client) {
        let told = *self.0.lock().await;
        if let Some(level) = told {
            tell(old, client, level).await;
        }
    }
}

async fn tell(old: &Connection, client: &Client, level: LoggingLevel) {
    let params = json!({ "level": level });
    let told = timeout(PATIENCE, old.request(client, "logging/setLevel", &params)).await;
    match told {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => {
            tracing::warn!(target: "mcp_client", error = %Excerpt(&error), "the server does not take a level for log messages");
        }
        Err(_) => {
            tracing::warn!(target: "mcp_client", "no answer to the level for log messages");
        }
    }
}
