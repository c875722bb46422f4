//! A server played by the test: it reads requests and writes what it likes, one request a connection
//! unless it reads on.

use std::time::Duration;

use mcp_client::{Builder, Client, Error, HttpTransport, ToolCall};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Longer than anything takes that is not broken.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct Server {
    listener: TcpListener,
}

/// A request, and the connection that it came on.
pub(crate) struct Post {
    /// The request line and the headers, as they were sent.
    pub(crate) head: String,
    pub(crate) body: String,
    stream: TcpStream,
}

pub(crate) fn builder() -> Builder {
    Client::builder("test-host", "1.0.0")
}

/// A client whose probe was answered.
pub(crate) async fn connect(builder: Builder) -> (Client, Server) {
    let server = Server::start().await;
    let transport = HttpTransport::new(server.url("/mcp"));
    (connect_to(&server, builder, transport).await, server)
}

pub(crate) async fn connect_to(
    server: &Server,
    builder: Builder,
    transport: HttpTransport,
) -> Client {
    let (client, ()) = tokio::join!(builder.connect(transport), server.answer_probe());
    client.unwrap()
}

/// A connected client that knows that there are tools, none of which wants headers.
pub(crate) async fn connect_listed(builder: Builder) -> (Client, Server) {
    let (client, server) = connect(builder).await;
    list(
        &client,
        &server,
        json!([tool("t", json!({})), tool("u", json!({}))]),
    )
    .await;
    (client, server)
}

/// Has the client list these tools; returns the names of those that it kept.
pub(crate) async fn list(client: &Client, server: &Server, tools: Value) -> Vec<String> {
    let (listed, ()) = tokio::join!(client.list_tools(), server.answer_list(tools));
    listed.unwrap().into_iter().map(|tool| tool.name).collect()
}

pub(crate) fn tool(name: &str, properties: Value) -> Value {
    json!({"name": name, "inputSchema": {"type": "object", "properties": properties}})
}

/// Starts a call in the background.
pub(crate) fn call(
    client: &Client,
    tool: &str,
    arguments: Value,
) -> JoinHandle<Result<ToolCall, Error>> {
    let (client, tool) = (client.clone(), tool.to_owned());
    tokio::spawn(async move { client.call_tool(tool, arguments).await })
}

pub(crate) fn done(text: &str) -> Value {
    json!({"resultType": "complete", "content": [{"type": "text", "text": text}]})
}

pub(crate) fn response(id: &Value, result: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string()
}

impl Server {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Self { listener }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.listener.local_addr().unwrap())
    }

    /// The next request, on a connection of its own.
    pub(crate) async fn next(&self) -> Post {
        let accepted = timeout(PATIENCE, self.listener.accept()).await;
        let (stream, _) = accepted.expect("no connection came").unwrap();
        Post::read(stream).await.expect("the client sent nothing")
    }

    /// The next request, which must be of this method.
    pub(crate) async fn request(&self, method: &str) -> Post {
        let post = self.next().await;
        assert!(post.is("POST"), "{method}: {}", post.head);
        assert_eq!(post.json()["method"], method, "{}", post.body);
        post
    }

    /// Nobody connects for a while.
    pub(crate) async fn hears_nothing(&self) {
        let heard = timeout(Duration::from_millis(50), self.listener.accept()).await;
        assert!(heard.is_err(), "a connection came");
    }

    pub(crate) async fn answer_probe(&self) {
        let probe = self.request("server/discover").await;
        probe.reply(&discovered()).await;
    }

    pub(crate) async fn answer_list(&self, tools: Value) {
        let request = self.request("tools/list").await;
        let result =
            json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private", "tools": tools});
        request.reply(&result).await;
    }
}

pub(crate) fn discovered() -> Value {
    json!({
        "resultType": "complete",
        "supportedVersions": ["2026-07-28"],
        "capabilities": {"tools": {}},
        "ttlMs": 0,
        "cacheScope": "private"
    })
}

impl Post {
    async fn read(mut stream: TcpStream) -> Option<Self> {
        let mut bytes = Vec::new();
        let end = loop {
            if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
                break end;
            }
            if stream.read_buf(&mut bytes).await.ok()? == 0 {
                return None;
            }
        };
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let mut post = Self {
            head,
            body: String::new(),
            stream,
        };
        let length = post.header("content-length");
        let length: usize = length.map_or(0, |length| length.parse().unwrap());
        let mut body = bytes.split_off(end + 4);
        while body.len() < length {
            assert_ne!(post.stream.read_buf(&mut body).await.unwrap(), 0);
        }
        post.body = String::from_utf8(body).unwrap();
        Some(post)
    }

    /// The next request on the same connection; `None` when the client has closed it.
    pub(crate) async fn next(self) -> Option<Self> {
        let next = timeout(PATIENCE, Self::read(self.stream)).await;
        next.expect("nothing came on the connection, and it stays open")
    }

    /// Whether it is a request with this HTTP method.
    pub(crate) fn is(&self, method: &str) -> bool {
        self.head.starts_with(&format!("{method} /"))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut values = self
            .headers()
            .filter(|(key, _)| key.eq_ignore_ascii_case(name));
        let value = values.next().map(|(_, value)| value);
        assert!(values.next().is_none(), "{name} stands twice");
        value
    }

    pub(crate) fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        let lines = self.head.split("\r\n").skip(1);
        lines.map(|line| line.split_once(": ").or(line.split_once(':')).unwrap())
    }

    /// The headers of tool parameters, sorted.
    pub(crate) fn params(&self) -> Vec<(String, String)> {
        let params = self.headers().filter_map(|(name, value)| {
            let name = name.to_ascii_lowercase();
            let name = name.strip_prefix("mcp-param-")?;
            Some((name.to_owned(), value.to_owned()))
        });
        let mut params: Vec<_> = params.collect();
        params.sort();
        params
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    pub(crate) fn id(&self) -> Value {
        self.json()["id"].clone()
    }

    pub(crate) async fn write(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).await.unwrap();
        self.stream.flush().await.unwrap();
    }

    pub(crate) async fn try_write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.stream.write_all(bytes).await
    }

    /// A whole response, after which the connection ends.
    pub(crate) async fn respond(mut self, status: &str, headers: &str, body: impl AsRef<[u8]>) {
        let body = body.as_ref();
        let head = format!(
            "HTTP/1.1 {status}\r\n{headers}connection: close\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        self.write(head).await;
        self.write(body).await;
    }

    /// The result as one JSON body.
    pub(crate) async fn reply(self, result: &Value) {
        let body = response(&self.id(), result);
        self.respond("200 OK", "content-type: application/json\r\n", body)
            .await;
    }

    pub(crate) async fn fail(self, status: &str, error: Value) {
        let body = json!({"jsonrpc": "2.0", "id": self.id(), "error": error}).to_string();
        self.respond(status, "content-type: application/json\r\n", body)
            .await;
    }

    /// Begins a stream of events that ends with the connection.
    pub(crate) async fn begin_stream(&mut self) {
        self.write(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n",
        )
        .await;
    }

    /// A stream of events, whole, and the end of the connection.
    pub(crate) async fn stream(mut self, events: impl AsRef<[u8]>) {
        self.begin_stream().await;
        self.write(events).await;
    }

    /// Waits until the client closes the connection, and returns what it sent until then.
    pub(crate) async fn closed(mut self) -> Vec<u8> {
        let mut sent = Vec::new();
        // A reset is an end as well.
        let end = timeout(PATIENCE, self.stream.read_to_end(&mut sent)).await;
        let _ = end.expect("the client keeps the connection open");
        sent
    }
}
