//! A client of an earlier revision that writes its messages by hand, and checks whatever it gets against that revision's
//! official schema.

use mcp_core::Revision;
use mcp_server::Server;
use serde_json::{Value, json};

use crate::wire::Wire;

/// How such a client answers what it is asked: the method and the parameters to a result, or an error.
type Answer = Box<dyn FnMut(&str, &Value) -> Result<Value, Value> + Send>;

/// A connection on which hands were shaken.
pub struct Earlier {
    /// The connection itself.
    pub wire: Wire,
    /// The result of `initialize`.
    pub hello: Value,
    /// The notifications that have come, oldest first.
    pub heard: Vec<Value>,
    /// What the server has asked, oldest first.
    pub asked: Vec<Value>,
    answer: Answer,
}

impl Earlier {
    /// Connects to a server in this process, and shakes hands.
    ///
    /// # Panics
    ///
    /// If the server does not agree.
    pub async fn connect(server: &Server, revision: Revision, capabilities: Value) -> Self {
        let mut client = Self::open(server, revision);
        client.shake_hands(capabilities).await;
        client
    }

    /// Connects to a server in this process, and says nothing yet.
    #[must_use]
    pub fn open(server: &Server, revision: Revision) -> Self {
        let mut wire = Wire::open(server);
        wire.meta = Value::Null;
        wire.revision = revision.as_str();
        Self {
            wire,
            hello: Value::Null,
            heard: Vec::new(),
            asked: Vec::new(),
            answer: Box::new(|method, _| {
                Err(json!({"code": -32601, "message": format!("no answer to {method}")}))
            }),
        }
    }

    /// Shakes hands.
    ///
    /// # Panics
    ///
    /// If the server does not agree.
    pub async fn shake_hands(&mut self, capabilities: Value) {
        let revision = self.wire.revision;
        self.hello = self.wire.shake_hands(revision, capabilities).await;
    }

    /// Answers what the server asks from now on.
    pub fn answering(
        &mut self,
        answer: impl FnMut(&str, &Value) -> Result<Value, Value> + Send + 'static,
    ) {
        self.answer = Box::new(answer);
    }

    /// Sends a notification.
    ///
    /// # Panics
    ///
    /// If the server does not read.
    pub async fn notify(&mut self, method: &str, params: Value) {
        self.wire
            .send(&json!({"jsonrpc": "2.0", "method": method, "params": params}))
            .await;
    }

    /// Sends a request and gives the answer, `result` or `error` included. What comes before it is kept, and what the server
    /// asks answered.
    ///
    /// # Panics
    ///
    /// If another answer comes first, or none.
    pub async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.wire.begin(method, params).await;
        self.answered(id).await
    }

    /// Calls a tool.
    ///
    /// # Panics
    ///
    /// As [`request`](Self::request).
    pub async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
            .await
    }

    /// Waits for the answer to a request.
    ///
    /// # Panics
    ///
    /// As [`request`](Self::request).
    pub async fn answered(&mut self, id: i64) -> Value {
        loop {
            let message = self.wire.receive().await;
            if message.get("method").is_none() {
                assert_eq!(message["id"], id, "another answer came first: {message}");
                return message;
            }
            self.take(message).await;
        }
    }

    /// Waits for the next notification, and gives it.
    ///
    /// # Panics
    ///
    /// If an answer comes first, or nothing.
    pub async fn notice(&mut self) -> Value {
        loop {
            let message = self.wire.receive().await;
            assert!(message.get("method").is_some(), "an answer: {message}");
            if message.get("id").is_none() {
                return message;
            }
            self.take(message).await;
        }
    }

    /// Keeps a notification, or answers a question.
    ///
    /// # Panics
    ///
    /// If the server does not read.
    pub async fn take(&mut self, message: Value) {
        let Some(id) = message.get("id").cloned() else {
            self.heard.push(message);
            return;
        };
        let method = message["method"].as_str().unwrap_or_default().to_owned();
        let answer = match (self.answer)(&method, &message["params"]) {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Err(error) => json!({"jsonrpc": "2.0", "id": id, "error": error}),
        };
        self.asked.push(message);
        self.wire.send(&answer).await;
    }
}
