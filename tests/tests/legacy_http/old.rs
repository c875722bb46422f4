//! A client of an earlier revision, by hand: its session, its requests, the streams that it reads.

use std::{sync::Arc, time::Duration};

use mcp_server::{Server, StreamableHttp};
use mcp_tests::{
    official,
    web::{Connection, Post, Response, Site},
};
use serde_json::{Value, json};

use crate::{Work, server};

/// The newest one.
pub(crate) const NEWEST: &str = "2025-11-25";

/// Those over which the same test is run.
pub(crate) const ALL: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", NEWEST];

/// A client with a session.
pub(crate) struct Old {
    pub(crate) site: Arc<Site>,
    pub(crate) session: String,
    pub(crate) revision: &'static str,
}

/// A server that listens, and what its tools do.
pub(crate) async fn open() -> (Arc<Site>, Arc<Work>) {
    open_with(|http| http).await
}

/// The same, with settings.
pub(crate) async fn open_with(
    set: impl FnOnce(StreamableHttp) -> StreamableHttp,
) -> (Arc<Site>, Arc<Work>) {
    let (server, work) = server();
    (serve(&server, set).await, work)
}

pub(crate) async fn serve(
    server: &Server,
    set: impl FnOnce(StreamableHttp) -> StreamableHttp,
) -> Arc<Site> {
    Arc::new(Site::open(set(server.http())).await)
}

/// A message without anything that only newer revisions have.
pub(crate) fn post(body: &Value) -> Post {
    Post::bytes(body.to_string()).without("MCP-Protocol-Version")
}

pub(crate) fn request(id: i64, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

pub(crate) fn call(id: i64, tool: &str, arguments: Value) -> Value {
    request(
        id,
        "tools/call",
        json!({"name": tool, "arguments": arguments}),
    )
}

pub(crate) fn initialize(revision: &str) -> Value {
    let params = json!({
        "protocolVersion": revision,
        "capabilities": {"elicitation": {}, "roots": {}, "sampling": {}},
        "clientInfo": {"name": "old", "version": "1.0.0"},
    });
    request(0, "initialize", params)
}

impl Old {
    /// Shakes hands.
    pub(crate) async fn begin(site: &Arc<Site>, revision: &'static str) -> Self {
        let response = site.send(&post(&initialize(revision))).await;
        assert_eq!(response.head.status, 200, "{response:?}");
        let session = response.head.header("mcp-session-id").unwrap().to_owned();
        assert!(session.len() >= 22, "{session}");
        assert!(session.bytes().all(|byte| (0x21..=0x7e).contains(&byte)));
        let client = Self {
            site: Arc::clone(site),
            session,
            revision,
        };
        let answer = client.json(Some("initialize"), &response);
        assert_eq!(answer["result"]["protocolVersion"], revision);
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let response = client.send(&initialized).await;
        assert_eq!((response.head.status, &*response.body), (202, ""));
        client
    }

    /// A request with the headers of the session.
    pub(crate) fn post(&self, body: &Value) -> Post {
        self.named(post(body))
    }

    fn named(&self, request: Post) -> Post {
        let request = request.with("Mcp-Session-Id", &self.session);
        // The header is newer than the session.
        if self.revision < "2025-06-18" {
            return request;
        }
        request.with("MCP-Protocol-Version", self.revision)
    }

    pub(crate) fn get(&self) -> Post {
        let get = post(&Value::Null).verb("GET").without("Content-Type");
        self.named(get).with("Accept", "text/event-stream")
    }

    pub(crate) fn resume(&self, last: &str) -> Post {
        self.get().with("Last-Event-ID", last)
    }

    pub(crate) fn delete(&self) -> Post {
        let delete = post(&Value::Null).verb("DELETE").without("Content-Type");
        self.named(delete)
    }

    /// Sends a message, and waits for the whole response.
    pub(crate) async fn send(&self, body: &Value) -> Response {
        self.site.send(&self.post(body)).await
    }

    /// Sends a request that is answered at once, and gives the answer.
    pub(crate) async fn ask(&self, body: &Value) -> Value {
        let response = self.send(body).await;
        assert_eq!(response.head.status, 200, "{response:?}");
        self.json(body["method"].as_str(), &response)
    }

    /// Sends a request whose answer is a stream.
    pub(crate) async fn stream(&self, body: &Value) -> Events {
        self.open(&self.post(body), body["method"].as_str()).await
    }

    /// Opens a stream.
    pub(crate) async fn open(&self, request: &Post, method: Option<&str>) -> Events {
        let mut connection = self.site.connect().await;
        connection.send(request).await;
        let head = connection.head().await;
        assert_eq!(head.status, 200, "{head:?}");
        assert!(head.is_stream(), "{head:?}");
        Events {
            connection,
            text: String::new(),
            revision: self.revision,
            method: method.map(str::to_owned),
        }
    }

    fn json(&self, method: Option<&str>, response: &Response) -> Value {
        let kind = response.head.header("content-type");
        assert_eq!(kind, Some("application/json"), "{response:?}");
        let message = serde_json::from_str(&response.body).unwrap();
        official::check_as(self.revision, method, &message);
        message
    }
}

/// A connection that reads a stream.
pub(crate) struct Events {
    pub(crate) connection: Connection,
    text: String,
    revision: &'static str,
    method: Option<String>,
}

/// One event.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Event {
    pub(crate) kind: String,
    pub(crate) id: String,
    pub(crate) retry: String,
    pub(crate) data: String,
}

impl Events {
    /// The next event; none at the end of the connection.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        let next = tokio::time::timeout(Duration::from_secs(20), self.read());
        next.await.expect("there is more in time")
    }

    async fn read(&mut self) -> Option<Event> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let (event, rest) = (event.to_owned(), rest.to_owned());
                self.text = rest;
                if event != ":" {
                    return Some(parse(&event));
                }
                continue;
            }
            match self.connection.chunk().await {
                Some(chunk) => self.text.push_str(&chunk),
                None => {
                    assert_eq!(self.text, "");
                    return None;
                }
            }
        }
    }

    /// The next event with a message in it, and that.
    pub(crate) async fn message(&mut self) -> (String, Value) {
        let event = self.next().await.expect("there is more");
        assert_eq!((&*event.kind, &*event.retry), ("message", ""), "{event:?}");
        let message: Value = serde_json::from_str(&event.data).unwrap();
        let answers = message.get("method").is_none();
        let method = self.method.as_deref().filter(|_| answers);
        official::check_as(self.revision, method, &message);
        (event.id, message)
    }

    /// The event that is there for its id alone.
    pub(crate) async fn priming(&mut self) -> String {
        let event = self.next().await.expect("there is more");
        assert_eq!((&*event.kind, &*event.data), ("", ""), "{event:?}");
        assert!(event.retry.parse::<u32>().is_ok(), "{event:?}");
        assert_ne!(event.id, "");
        event.id
    }

    /// The comment that a connection begins with where there is nothing to read yet; and no more than that.
    pub(crate) async fn nothing_yet(&mut self) {
        assert_eq!(self.text, "");
        assert_eq!(self.connection.chunk().await.as_deref(), Some(":\n\n"));
        let time = Duration::from_millis(50);
        self.connection.assert_silent(time).await;
    }

    /// The texts of log messages and results up to the end of the connection.
    pub(crate) async fn texts(&mut self) -> Vec<String> {
        let mut texts = Vec::new();
        while let Some(event) = self.next().await {
            if !event.data.is_empty() {
                texts.push(text(&serde_json::from_str(&event.data).unwrap()));
            }
        }
        texts
    }
}

/// What a log message or the result of a tool says.
pub(crate) fn text(message: &Value) -> String {
    let text = message["params"]["data"]
        .as_str()
        .or(message["result"]["content"][0]["text"].as_str());
    text.unwrap_or_else(|| panic!("{message}")).to_owned()
}

fn parse(text: &str) -> Event {
    let mut event = Event::default();
    for line in text.lines() {
        let (name, value) = line.split_once(':').unwrap_or_else(|| panic!("{text:?}"));
        let field = match name {
            "event" => &mut event.kind,
            "id" => &mut event.id,
            "retry" => &mut event.retry,
            "data" => &mut event.data,
            _ => panic!("{text:?}"),
        };
        assert_eq!(field, "", "{text:?}");
        value.trim_start().clone_into(field);
    }
    event
}
