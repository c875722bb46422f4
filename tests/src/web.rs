//! A peer that writes HTTP by hand, byte by byte, for what no well-behaved client would send.

use std::{net::SocketAddr, time::Duration};

use mcp_server::StreamableHttp;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::oneshot,
    task::JoinHandle,
    time::timeout,
};

use crate::official;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// A server that listens on a port of this machine.
pub struct Site {
    /// Where it listens.
    pub address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    served: JoinHandle<std::io::Result<()>>,
}

impl Site {
    /// Serves an endpoint.
    ///
    /// # Panics
    ///
    /// If there is no free port.
    pub async fn open(http: StreamableHttp) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let (stop, stopped) = oneshot::channel();
        let served = tokio::spawn(http.serve_until(listener, async move {
            // Only a word ends it: a test that forgets the site still has its server.
            if stopped.await.is_err() {
                std::future::pending::<()>().await;
            }
        }));
        Self {
            address,
            stop: Some(stop),
            served,
        }
    }

    /// Asks the server to end.
    pub fn stop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
    }

    /// Waits until it has ended.
    ///
    /// # Panics
    ///
    /// If it does not end in time, or with an error.
    pub async fn ended(self) {
        timeout(PATIENCE, self.served)
            .await
            .expect("the server did not end")
            .expect("serving does not panic")
            .expect("serving does not fail");
    }

    /// A new connection.
    ///
    /// # Panics
    ///
    /// If it is refused.
    pub async fn connect(&self) -> Connection {
        let stream = TcpStream::connect(self.address)
            .await
            .expect("the server listens");
        let _ = stream.set_nodelay(true);
        Connection {
            stream: BufReader::new(stream),
            method: None,
        }
    }

    /// Sends one request on a connection of its own, and gives the whole response.
    ///
    /// # Panics
    ///
    /// If there is none.
    pub async fn send(&self, request: &Post) -> Response {
        let mut connection = self.connect().await;
        connection.send(request).await;
        connection.response().await
    }
}

/// A request.
#[derive(Clone)]
pub struct Post {
    verb: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    method: Option<String>,
}

impl Post {
    /// A request as a client must send it: the message with its `_meta`, and all headers.
    #[must_use]
    pub fn request(method: &str, mut params: Value) -> Self {
        if params.get("_meta").is_none() {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "web", "version": "1.0.0"},
                "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
            });
        }
        let message = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
        let post = Self::bytes(message.to_string()).with("Mcp-Method", method);
        let post = Self {
            method: Some(method.to_owned()),
            ..post
        };
        match params["name"].as_str().or(params["uri"].as_str()) {
            Some(name) => post.with("Mcp-Name", name),
            None => post,
        }
    }

    /// A call of a tool.
    #[must_use]
    pub fn call(tool: &str, arguments: Value) -> Self {
        Self::request("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// A call of a tool that is to report its progress.
    #[must_use]
    pub fn reporting_call(tool: &str, arguments: Value) -> Self {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/logLevel": "info",
            "progressToken": "t",
        });
        Self::request(
            "tools/call",
            json!({"name": tool, "arguments": arguments, "_meta": meta}),
        )
    }

    /// Any body, with the headers that do not depend on it.
    #[must_use]
    pub fn bytes(body: impl Into<Vec<u8>>) -> Self {
        Self {
            verb: "POST".to_owned(),
            path: "/mcp".to_owned(),
            headers: Vec::new(),
            body: body.into(),
            method: None,
        }
        .with("Host", "localhost")
        .with("Content-Type", "application/json")
        .with("Accept", "application/json, text/event-stream")
        .with("MCP-Protocol-Version", "2026-07-28")
    }

    /// With another HTTP method.
    #[must_use]
    pub fn verb(mut self, verb: &str) -> Self {
        verb.clone_into(&mut self.verb);
        self
    }

    /// With another path.
    #[must_use]
    pub fn path(mut self, path: &str) -> Self {
        path.clone_into(&mut self.path);
        self
    }

    /// With this header in place of others of the same name.
    #[must_use]
    pub fn with(self, name: &str, value: &str) -> Self {
        self.without(name).and(name, value)
    }

    /// With this header beside others of the same name.
    #[must_use]
    pub fn and(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Without a header.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.headers
            .retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self
    }

    /// Everything that is written for it.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = format!("{} {} HTTP/1.1\r\n", self.verb, self.path).into_bytes();
        for (name, value) in &self.headers {
            bytes.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
        }
        let chunked = self
            .headers
            .iter()
            .any(|(name, _)| name == "Transfer-Encoding");
        if chunked {
            bytes.extend_from_slice(format!("\r\n{:x}\r\n", self.body.len()).as_bytes());
            bytes.extend_from_slice(&self.body);
            bytes.extend_from_slice(b"\r\n0\r\n\r\n");
        } else {
            let length = self.body.len();
            bytes.extend_from_slice(format!("Content-Length: {length}\r\n\r\n").as_bytes());
            bytes.extend_from_slice(&self.body);
        }
        bytes
    }
}

/// One connection of HTTP/1.1.
pub struct Connection {
    stream: BufReader<TcpStream>,
    method: Option<String>,
}

/// The status and the headers of a response.
#[derive(Debug, Clone)]
pub struct Head {
    /// The status.
    pub status: u16,
    headers: Vec<(String, String)>,
}

impl Head {
    /// The value of a header; none where it is absent.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// Whether it is a stream of events.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        self.header("content-type") == Some("text/event-stream")
    }
}

/// A whole response.
#[derive(Debug)]
pub struct Response {
    /// What stands before the body.
    pub head: Head,
    /// The body.
    pub body: String,
    method: Option<String>,
}

impl Response {
    /// The one message in it, which must fit the official schema.
    ///
    /// # Panics
    ///
    /// If it is something else.
    #[track_caller]
    #[must_use]
    pub fn json(&self) -> Value {
        assert_eq!(
            self.head.header("content-type"),
            Some("application/json"),
            "{self:?}"
        );
        assert!(!self.body.contains('\n'), "{self:?}");
        let message = serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{self:?}"));
        official::check(self.method.as_deref(), &message);
        message
    }

    /// The messages of a stream that has ended.
    ///
    /// # Panics
    ///
    /// If it is something else, or not as compact as it should be.
    #[track_caller]
    #[must_use]
    pub fn messages(&self) -> Vec<Value> {
        assert!(self.head.is_stream(), "{self:?}");
        let messages: Vec<Value> = events(&self.body);
        for message in &messages {
            official::check(self.method.as_deref(), message);
        }
        messages
    }

    /// The code of the error in it, with the status.
    ///
    /// # Panics
    ///
    /// If it has none.
    #[track_caller]
    #[must_use]
    pub fn refusal(&self) -> (u16, i64) {
        let message = self.json();
        let code = message["error"]["code"].as_i64();
        (self.head.status, code.unwrap_or_else(|| panic!("{self:?}")))
    }
}

/// The messages in the text of a stream.
///
/// # Panics
///
/// If it is not as compact as it should be.
#[track_caller]
#[must_use]
pub fn events(text: &str) -> Vec<Value> {
    assert!(text.is_empty() || text.ends_with("\n\n"), "{text:?}");
    text.split_terminator("\n\n")
        .filter(|event| *event != ":")
        .map(|event| {
            let data = event
                .strip_prefix("data: ")
                .unwrap_or_else(|| panic!("{event:?}"));
            assert!(!data.contains('\n'), "{event:?}");
            serde_json::from_str(data).unwrap_or_else(|_| panic!("{event:?}"))
        })
        .collect()
}

impl Connection {
    /// Writes bytes as they are; whether the server took them.
    pub async fn write(&mut self, bytes: &[u8]) -> bool {
        let stream = self.stream.get_mut();
        stream.write_all(bytes).await.is_ok() && stream.flush().await.is_ok()
    }

    /// Writes a request.
    pub async fn send(&mut self, request: &Post) {
        self.method.clone_from(&request.method);
        self.write(&request.to_bytes()).await;
    }

    /// The next response's head; none where the server has closed the connection.
    ///
    /// # Panics
    ///
    /// If it does not come in time, or is no HTTP.
    pub async fn try_head(&mut self) -> Option<Head> {
        let first = self.line().await?;
        let status = first
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok());
        let status = status.unwrap_or_else(|| panic!("no status but {first:?}"));
        let mut headers = Vec::new();
        loop {
            let line = self.line().await.expect("the headers have an end");
            let Some((name, value)) = line.split_once(':') else {
                assert_eq!(line, "");
                return Some(Head { status, headers });
            };
            headers.push((name.to_owned(), value.trim().to_owned()));
        }
    }

    /// The next response's head.
    ///
    /// # Panics
    ///
    /// As [`try_head`](Self::try_head), and if there is none.
    pub async fn head(&mut self) -> Head {
        self.try_head().await.expect("the server answers")
    }

    /// The next piece of a stream; none at its end.
    ///
    /// # Panics
    ///
    /// If it does not come in time, or is no chunk.
    pub async fn chunk(&mut self) -> Option<String> {
        let size = self.line().await.expect("a stream has an end");
        let size = usize::from_str_radix(&size, 16).unwrap_or_else(|_| panic!("{size:?}"));
        let mut bytes = vec![0; size + 2];
        timeout(PATIENCE, self.stream.read_exact(&mut bytes))
            .await
            .expect("a chunk is written at once")
            .expect("the connection is open");
        bytes.truncate(size);
        (size > 0).then(|| String::from_utf8(bytes).expect("it is UTF-8"))
    }

    /// The next response, whole.
    ///
    /// # Panics
    ///
    /// If none comes in time.
    pub async fn response(&mut self) -> Response {
        let head = self.head().await;
        let mut body = String::new();
        if head.header("transfer-encoding") == Some("chunked") {
            while let Some(chunk) = self.chunk().await {
                body.push_str(&chunk);
            }
        } else {
            let length = head
                .header("content-length")
                .and_then(|length| length.parse().ok());
            let mut bytes = vec![0; length.unwrap_or(0)];
            timeout(PATIENCE, self.stream.read_exact(&mut bytes))
                .await
                .expect("the body is written at once")
                .expect("the connection is open");
            body = String::from_utf8(bytes).expect("it is UTF-8");
        }
        Response {
            head,
            body,
            method: self.method.clone(),
        }
    }

    /// Asserts that the server writes nothing for a while.
    ///
    /// # Panics
    ///
    /// If it does, or closes the connection.
    pub async fn assert_silent(&mut self, time: Duration) {
        if let Ok(read) = timeout(time, self.stream.fill_buf()).await {
            panic!("the server should have been silent: {read:?}");
        }
    }

    /// Waits until the server closes the connection, passing over what it still writes.
    ///
    /// # Panics
    ///
    /// If it does not.
    pub async fn closed(&mut self) {
        let mut rest = Vec::new();
        let _ = timeout(PATIENCE, self.stream.read_to_end(&mut rest))
            .await
            .expect("the server closes the connection");
    }

    async fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        timeout(PATIENCE, self.stream.read_line(&mut line))
            .await
            .expect("the server answers in time")
            .unwrap_or(0);
        (!line.is_empty()).then(|| line.trim_end_matches("\r\n").to_owned())
    }
}
