//! A server played by the test: it reads what the client sends, line by line, and says what it likes.

use std::ops::Deref;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::{Answer, Builder, Client, Error, IoTransport, ToolCall};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf, duplex,
    split,
};
use tokio::task::JoinHandle;

pub(crate) type Transport = IoTransport<ReadHalf<DuplexStream>, WriteHalf<DuplexStream>>;

/// The server's end of a connection.
pub(crate) struct Fake {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
}

/// A line that the client wrote.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    pub(crate) text: String,
    value: Value,
}

impl Deref for Message {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.value
    }
}

impl Message {
    pub(crate) fn params(&self) -> &Value {
        &self["params"]
    }

    pub(crate) fn id(&self) -> u64 {
        self["id"].as_u64().expect("the client's ids are integers")
    }
}

/// Both ends of a connection in process.
pub(crate) fn pair() -> (Transport, Fake) {
    let (ours, theirs) = duplex(1024 * 1024);
    let (reader, writer) = split(ours);
    let transport = IoTransport::new(reader, writer);
    (transport, Fake::over(theirs))
}

/// A client without handlers.
pub(crate) fn builder() -> Builder {
    Client::builder("test-host", "1.0.0")
}

/// A connected client whose probe was answered.
pub(crate) async fn connect(builder: Builder) -> (Client, Fake) {
    let (transport, mut fake) = pair();
    let (client, ()) = tokio::join!(builder.connect(transport), fake.answer_probe());
    (client.unwrap(), fake)
}

/// Starts a call in the background.
pub(crate) fn call(
    client: &Client,
    tool: &str,
    arguments: impl Serialize + Send + 'static,
) -> JoinHandle<Result<ToolCall, Error>> {
    let (client, tool) = (client.clone(), tool.to_owned());
    tokio::spawn(async move { client.call_tool(tool, arguments).await })
}

/// A builder whose form handler submits `content` and notes each message it was shown.
pub(crate) fn answering(content: Value) -> (Builder, Arc<Mutex<Vec<String>>>) {
    let shown = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&shown);
    let builder = builder().on_form(move |question| {
        seen.lock().unwrap().push(question.message);
        let content = content.clone();
        async move { Ok(Answer::accept(content)?) }
    });
    (builder, shown)
}

/// A form with one required yes/no field.
pub(crate) fn confirm(message: &str) -> Value {
    json!({
        "method": "elicitation/create",
        "params": {
            "mode": "form",
            "message": message,
            "requestedSchema": {
                "type": "object",
                "properties": {"confirm": {"type": "boolean"}},
                "required": ["confirm"]
            }
        }
    })
}

pub(crate) fn done(text: &str) -> Value {
    json!({"resultType": "complete", "content": [{"type": "text", "text": text}]})
}

pub(crate) fn asks(requests: Value, state: Value) -> Value {
    json!({"resultType": "input_required", "inputRequests": requests, "requestState": state})
}

impl Fake {
    pub(crate) fn over(stream: DuplexStream) -> Self {
        let (reader, writer) = split(stream);
        Self {
            lines: BufReader::new(reader).lines(),
            writer,
        }
    }

    /// The next line from the client, whatever it is; `None` when it has ended the connection.
    pub(crate) async fn next(&mut self) -> Option<Message> {
        let text = self.lines.next_line().await.unwrap()?;
        let value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e} in {text}"));
        Some(Message { text, value })
    }

    /// The next line, which must be a request of this method.
    pub(crate) async fn request(&mut self, method: &str) -> Message {
        let message = self.next().await.expect("the client ended the connection");
        assert_eq!(message["method"], method, "{}", message.text);
        assert_eq!(message["jsonrpc"], "2.0");
        message.id();
        message
    }

    /// The next line, which must cancel `request`.
    pub(crate) async fn cancellation_of(&mut self, request: &Message) {
        let message = self.next().await.expect("the client ended the connection");
        assert_eq!(
            message["method"], "notifications/cancelled",
            "{}",
            message.text
        );
        assert_eq!(message.get("id"), None);
        assert_eq!(message["params"]["requestId"], request["id"]);
    }

    /// Nothing was sent and nothing is for a while.
    pub(crate) async fn hears_nothing(&mut self) {
        let heard = tokio::time::timeout(Duration::from_millis(20), self.next()).await;
        assert!(heard.is_err(), "{heard:?}");
    }

    pub(crate) async fn reply(&mut self, request: &Message, result: Value) {
        self.line(&json!({"jsonrpc": "2.0", "id": request["id"], "result": result}).to_string())
            .await;
    }

    /// A reply whose result is sent exactly as written here.
    pub(crate) async fn reply_raw(&mut self, request: &Message, result: &str) {
        let id = &request["id"];
        self.line(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#
        ))
        .await;
    }

    pub(crate) async fn fail(&mut self, request: &Message, error: Value) {
        self.line(&json!({"jsonrpc": "2.0", "id": request["id"], "error": error}).to_string())
            .await;
    }

    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        self.line(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string())
            .await;
    }

    /// A notification that carries the id of `listen`, the request of its subscription.
    pub(crate) async fn notice(&mut self, listen: &Message, method: &str, mut params: Value) {
        params["_meta"] = json!({"io.modelcontextprotocol/subscriptionId": listen["id"]});
        self.notify(&format!("notifications/{method}"), params)
            .await;
    }

    pub(crate) async fn line(&mut self, text: &str) {
        self.bytes(format!("{text}\n").as_bytes()).await;
    }

    pub(crate) async fn bytes(&mut self, bytes: &[u8]) {
        self.writer.write_all(bytes).await.unwrap();
        self.writer.flush().await.unwrap();
    }

    /// Closes the server's output; its input stays open.
    pub(crate) async fn close_output(&mut self) {
        self.writer.shutdown().await.unwrap();
    }

    pub(crate) async fn answer_probe(&mut self) {
        let probe = self.request("server/discover").await;
        self.reply(
            &probe,
            json!({
                "resultType": "complete",
                "supportedVersions": ["2026-07-28"],
                "capabilities": {"tools": {}},
                "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "fake", "version": "9"}},
                "ttlMs": 0,
                "cacheScope": "private"
            }),
        )
        .await;
    }
}

impl Fake {
    /// The next line as text, for what a JSON value cannot hold.
    pub(crate) async fn line_text(&mut self) -> String {
        self.lines
            .next_line()
            .await
            .unwrap()
            .expect("the client ended the connection")
    }
}

/// Lets everything that was sent before be seen: a request goes round after it.
pub(crate) trait DiscoverAfter {
    async fn discover_after(&self, fake: &mut Fake);
}

impl DiscoverAfter for Client {
    async fn discover_after(&self, fake: &mut Fake) {
        let (discovered, ()) = tokio::join!(self.discover(), fake.answer_probe());
        discovered.unwrap();
    }
}
