//! A peer that writes messages by hand, for what no well-behaved client would send.

use std::{collections::HashMap, process::Stdio, time::Duration};

use mcp_server::Server;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader},
    process::{Child, Command},
    task::JoinHandle,
};

use crate::official;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// A connection to a server, in this process or to a child.
pub struct Wire {
    reader: BufReader<Box<dyn AsyncRead + Send + Unpin>>,
    writer: Option<Box<dyn AsyncWrite + Send + Unpin>>,
    /// The `_meta` of every request; `null` where there is none.
    pub meta: Value,
    /// The revision that the server's messages must fit.
    pub revision: &'static str,
    methods: HashMap<String, String>,
    next_id: i64,
    served: Option<JoinHandle<std::io::Result<()>>>,
    child: Option<Child>,
}

impl Wire {
    /// Serves one connection in this process.
    #[must_use]
    pub fn open(server: &Server) -> Self {
        // A stream for each direction, so that one can be closed without the other.
        let (writer, their_reader) = tokio::io::duplex(1 << 20);
        let (reader, their_writer) = tokio::io::duplex(1 << 20);
        let server = server.clone();
        let served = tokio::spawn(async move { server.serve(their_reader, their_writer).await });
        let mut wire = Self::new(Box::new(reader), Box::new(writer));
        wire.served = Some(served);
        wire
    }

    /// Launches a server and talks to it over its standard streams.
    ///
    /// # Panics
    ///
    /// If it cannot be launched.
    #[must_use]
    pub fn launch(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap_or_else(|error| panic!("the server cannot be launched: {error}"));
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            panic!("the child's streams are piped");
        };
        let mut wire = Self::new(Box::new(stdout), Box::new(stdin));
        wire.child = Some(child);
        wire
    }

    fn new(
        reader: Box<dyn AsyncRead + Send + Unpin>,
        writer: Box<dyn AsyncWrite + Send + Unpin>,
    ) -> Self {
        Self {
            reader: BufReader::new(reader),
            writer: Some(writer),
            meta: json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "wire", "version": "1.0.0"},
                "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}, "url": {}}},
            }),
            revision: official::LATEST,
            methods: HashMap::new(),
            next_id: 0,
            served: None,
            child: None,
        }
    }

    /// Opens as a client of an earlier revision does, with these capabilities, and gives the result.
    ///
    /// # Panics
    ///
    /// If the server agrees on another one.
    pub async fn shake_hands(&mut self, revision: &'static str, capabilities: Value) -> Value {
        self.meta = Value::Null;
        self.revision = revision;
        let params = json!({
            "protocolVersion": revision,
            "capabilities": capabilities,
            "clientInfo": {"name": "wire", "version": "1.0.0"},
        });
        let answer = self.request("initialize", params).await;
        assert_eq!(answer["result"]["protocolVersion"], revision, "{answer}");
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
            .await;
        answer["result"].clone()
    }

    /// The next message, which must be a request of the server's with this method.
    ///
    /// # Panics
    ///
    /// If it is not.
    pub async fn expect_request(&mut self, method: &str) -> Value {
        let request = self.receive().await;
        assert_eq!(request["method"], method, "{request}");
        assert!(request.get("id").is_some(), "{request}");
        request
    }

    /// Answers a request of the server's.
    ///
    /// # Panics
    ///
    /// As [`write`](Self::write).
    pub async fn answer(&mut self, request: &Value, result: Value) {
        let id = &request["id"];
        self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}))
            .await;
    }

    /// Declares other capabilities from now on.
    pub fn declare(&mut self, capabilities: Value) {
        self.meta["io.modelcontextprotocol/clientCapabilities"] = capabilities;
    }

    /// Writes bytes as they are.
    ///
    /// # Panics
    ///
    /// If the server does not take them.
    pub async fn write(&mut self, bytes: &[u8]) {
        let writer = self.writer.as_mut().expect("the connection is open");
        let written = async {
            writer.write_all(bytes).await?;
            writer.flush().await
        };
        written
            .await
            .unwrap_or_else(|error| panic!("the server does not read: {error}"));
    }

    /// Writes one message.
    ///
    /// # Panics
    ///
    /// As [`write`](Self::write).
    pub async fn send(&mut self, message: &Value) {
        if let (Some(id), Some(method)) = (message.get("id"), message["method"].as_str()) {
            self.methods.insert(id.to_string(), method.to_owned());
        }
        self.write(format!("{message}\n").as_bytes()).await;
    }

    /// Sends a request with the next id, which it gives, and does not wait.
    ///
    /// # Panics
    ///
    /// As [`write`](Self::write).
    pub async fn begin(&mut self, method: &str, mut params: Value) -> i64 {
        self.next_id += 1;
        if params.get("_meta").is_none() && !self.meta.is_null() {
            params["_meta"] = self.meta.clone();
        }
        let id = self.next_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
            .await;
        id
    }

    /// Sends a request and gives the answer, `result` or `error` included.
    ///
    /// # Panics
    ///
    /// If something else comes first, or nothing.
    pub async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params).await;
        let answer = self.receive().await;
        assert_eq!(answer["id"], id, "another answer came first: {answer}");
        answer
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

    /// Calls a tool again, with the state of what it `asked` and these responses.
    ///
    /// # Panics
    ///
    /// As [`request`](Self::request).
    pub async fn retry(
        &mut self,
        tool: &str,
        arguments: Value,
        asked: &Value,
        responses: Value,
    ) -> Value {
        let params = retry_params(tool, arguments, asked, responses);
        self.request("tools/call", params).await
    }

    /// Takes back a request.
    ///
    /// # Panics
    ///
    /// As [`write`](Self::write).
    pub async fn cancel(&mut self, id: impl Into<Value>) {
        let params = json!({"requestId": id.into()});
        self.send(
            &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}),
        )
        .await;
    }

    /// The next line that the server writes, without its end.
    ///
    /// # Panics
    ///
    /// If none comes in time.
    pub async fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = tokio::time::timeout(PATIENCE, self.reader.read_line(&mut line))
            .await
            .unwrap_or_else(|_| panic!("the server said nothing for {PATIENCE:?}"))
            .unwrap_or_else(|error| panic!("the connection failed: {error}"));
        (read > 0).then(|| {
            assert!(line.ends_with('\n'), "not a whole line: {line:?}");
            line.trim_end_matches('\n').to_owned()
        })
    }

    /// The next message, which must fit the official schema.
    ///
    /// # Panics
    ///
    /// If none comes, or something else.
    pub async fn receive(&mut self) -> Value {
        let line = self
            .line()
            .await
            .expect("the server has closed the connection");
        let message: Value = serde_json::from_str(&line)
            .unwrap_or_else(|error| panic!("no message but {line:?}: {error}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        let method = self.methods.get(&message["id"].to_string());
        // The server numbers its own requests.
        let method = method.filter(|_| message.get("method").is_none());
        official::check_as(self.revision, method.map(String::as_str), &message);
        message
    }

    /// Asserts that the server says nothing for a while.
    ///
    /// # Panics
    ///
    /// If it does.
    pub async fn assert_silent(&mut self, time: Duration) {
        let mut line = String::new();
        if tokio::time::timeout(time, self.reader.read_line(&mut line))
            .await
            .is_ok()
        {
            panic!("the server should have been silent, and said {line:?}");
        }
    }

    /// Closes the writing half: the client has nothing more to say.
    ///
    /// # Panics
    ///
    /// If it is closed already.
    pub async fn close_input(&mut self) {
        let mut writer = self.writer.take().expect("the connection is open");
        // A server that has gone already is no fault here.
        let _ = writer.shutdown().await;
    }

    /// Closes the reading half: what the server writes from now on fails.
    pub fn close_output(&mut self) {
        self.reader = BufReader::new(Box::new(tokio::io::empty()));
    }

    /// What the child ended with, once it has.
    ///
    /// # Panics
    ///
    /// If it does not end in time, or there is none.
    pub async fn ended(&mut self) -> std::process::ExitStatus {
        let child = self.child.as_mut().expect("a child was launched");
        tokio::time::timeout(PATIENCE, child.wait())
            .await
            .expect("the child did not end")
            .unwrap_or_else(|error| panic!("the child cannot be waited for: {error}"))
    }

    /// The child itself.
    ///
    /// # Panics
    ///
    /// If there is none.
    pub fn child(&mut self) -> &mut Child {
        self.child.as_mut().expect("a child was launched")
    }

    /// What serving came to, for a server in this process.
    ///
    /// # Panics
    ///
    /// If it does not end in time, or there is none.
    pub async fn served(self) -> std::io::Result<()> {
        let Self { served, .. } = self;
        let served = served.expect("the server is in this process");
        tokio::time::timeout(PATIENCE, served)
            .await
            .expect("the server did not end")
            .expect("serving does not panic")
    }
}

/// The params of a call that is made again.
#[must_use]
pub fn retry_params(tool: &str, arguments: Value, asked: &Value, responses: Value) -> Value {
    let mut params = json!({
        "name": tool,
        "arguments": arguments,
        "inputResponses": responses,
    });
    if let Some(state) = asked["result"].get("requestState") {
        params["requestState"] = state.clone();
    }
    params
}

/// The text of an answer's first content block.
///
/// # Panics
///
/// If it has none.
#[track_caller]
#[must_use]
pub fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("no result with a text: {answer}"))
}

/// The text of a tool's error.
///
/// # Panics
///
/// If the answer is something else.
#[track_caller]
#[must_use]
pub fn tool_error(answer: &Value) -> &str {
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    text(answer)
}

/// The keys that an answer asks under, sorted.
///
/// # Panics
///
/// If it asks nothing.
#[track_caller]
#[must_use]
pub fn asked(answer: &Value) -> Vec<&str> {
    assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
    answer["result"]["inputRequests"]
        .as_object()
        .map(|requests| requests.keys().map(String::as_str).collect())
        .unwrap_or_default()
}

/// The message of the question under a key.
///
/// # Panics
///
/// If there is none.
#[track_caller]
#[must_use]
pub fn message<'a>(answer: &'a Value, key: &str) -> &'a str {
    answer["result"]["inputRequests"][key]["params"]["message"]
        .as_str()
        .unwrap_or_else(|| panic!("nothing is asked under {key}: {answer}"))
}

/// The code of an error.
///
/// # Panics
///
/// If the answer is a result.
#[track_caller]
#[must_use]
pub fn code(answer: &Value) -> i64 {
    answer["error"]["code"]
        .as_i64()
        .unwrap_or_else(|| panic!("no error: {answer}"))
}
