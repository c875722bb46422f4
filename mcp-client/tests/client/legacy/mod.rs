//! Servers of the revisions with a handshake, played by the test.

mod asking;
mod by_hand;
#[cfg(target_os = "linux")]
mod child;
mod early;
mod fall_back;
mod handshake;
mod pages;
mod requests;
mod sessions;
mod subscriptions;

use mcp_client::{Builder, Client, Revision};
use serde_json::{Value, json};

use crate::support::{Fake, Message, pair};

/// The form of every revision that can show one.
pub(crate) fn form(message: &str) -> Value {
    json!({
        "message": message,
        "requestedSchema": {
            "type": "object",
            "properties": {"confirm": {"type": "boolean"}},
            "required": ["confirm"]
        }
    })
}

pub(crate) fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

/// A client that is connected to a server of this revision, which offers everything.
pub(crate) async fn connect_at(builder: Builder, revision: Revision) -> (Client, Fake) {
    let capabilities = json!({
        "tools": {"listChanged": true},
        "prompts": {"listChanged": true},
        "resources": {"subscribe": true, "listChanged": true},
        "logging": {},
        "completions": {}
    });
    connect_offering(builder, revision, capabilities).await
}

pub(crate) async fn connect_offering(
    builder: Builder,
    revision: Revision,
    capabilities: Value,
) -> (Client, Fake) {
    let (transport, mut fake) = pair();
    let builder = builder.revision(revision);
    let server = fake.shake_hands(revision.as_str(), capabilities);
    let (client, _) = tokio::join!(builder.connect(transport), server);
    (client.unwrap(), fake)
}

impl Fake {
    /// Answers `initialize` and hears `initialized`; gives back the request.
    pub(crate) async fn shake_hands(&mut self, version: &str, capabilities: Value) -> Message {
        let hello = self.request("initialize").await;
        self.welcome(&hello, version, capabilities).await;
        hello
    }

    pub(crate) async fn welcome(&mut self, hello: &Message, version: &str, capabilities: Value) {
        let result = json!({
            "protocolVersion": version,
            "capabilities": capabilities,
            "serverInfo": {"name": "old", "version": "3"},
            "instructions": "be kind"
        });
        self.reply(hello, result).await;
        self.heard("notifications/initialized").await;
    }

    /// The next line, which must be a notification of this method.
    pub(crate) async fn heard(&mut self, method: &str) -> Message {
        let message = self.next().await.expect("the client ended the connection");
        assert_eq!(message["method"], method, "{}", message.text);
        assert_eq!(message.get("id"), None, "{}", message.text);
        message
    }

    /// Sends a request to the client.
    pub(crate) async fn ask(&mut self, id: impl Into<Value>, method: &str, params: Value) {
        let id: Value = id.into();
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.line(&request.to_string()).await;
    }

    /// The next line, which must answer the request of this id.
    pub(crate) async fn answered(&mut self, id: impl Into<Value>) -> Message {
        let message = self.next().await.expect("the client ended the connection");
        assert_eq!(message["id"], id.into(), "{}", message.text);
        assert_eq!(message.get("method"), None, "{}", message.text);
        message
    }
}
