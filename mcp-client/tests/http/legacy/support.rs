//! A server with a handshake, played by the test.

use mcp_client::{Builder, Client, HttpTransport};
use serde_json::{Value, json};

use crate::support::{Post, Server};

pub(super) const JSON: &str = "content-type: application/json\r\n";

/// The newest revision with a handshake, which the client offers.
pub(super) const NEWEST: &str = "2025-11-25";

/// A session that has begun.
pub(super) struct Begun {
    pub(super) client: Client,
    pub(super) server: Server,
    /// The request for the stream of what belongs to no request.
    pub(super) get: Post,
}

/// Connects to a server whose session has this id.
pub(super) async fn connect(builder: Builder, session: &str) -> Begun {
    let server = Server::start().await;
    let transport = HttpTransport::new(server.url("/mcp"));
    connect_to(server, builder, transport, NEWEST, Some(session)).await
}

/// The same for a server without a stream of its own.
pub(super) async fn connect_quiet(builder: Builder) -> (Client, Server) {
    let begun = connect(builder, "s-1").await;
    begun.get.respond("405 Method Not Allowed", "", "").await;
    (begun.client, begun.server)
}

pub(super) async fn connect_to(
    server: Server,
    builder: Builder,
    transport: HttpTransport,
    version: &str,
    session: Option<&str>,
) -> Begun {
    let answering = async {
        let probe = server.request("server/discover").await;
        probe.respond("400 Bad Request", "", "").await;
        begin(&server, version, session).await
    };
    let (client, get) = tokio::join!(builder.connect(transport), answering);
    Begun {
        client: client.unwrap(),
        server,
        get,
    }
}

/// A handshake, up to the request for the stream.
pub(super) async fn begin(server: &Server, version: &str, session: Option<&str>) -> Post {
    let post = server.request("initialize").await;
    // No session yet, and no version agreed on.
    assert_eq!(post.header("mcp-session-id"), None);
    assert_eq!(post.header("mcp-protocol-version"), None);
    assert_eq!(post.header("mcp-method"), None);
    let body = json!({"jsonrpc": "2.0", "id": post.id(), "result": initialized(version)});
    let id = session.map_or(String::new(), |id| format!("mcp-session-id: {id}\r\n"));
    post.respond("200 OK", &format!("{JSON}{id}"), body.to_string())
        .await;
    let post = server.request("notifications/initialized").await;
    assert_eq!(post.json().get("id"), None);
    is_in_session(&post, version, session);
    post.respond("202 Accepted", "", "").await;
    let get = server.next().await;
    assert!(get.is("GET"), "{}", get.head);
    assert_eq!(get.header("accept"), Some("text/event-stream"));
    assert_eq!(get.header("last-event-id"), None);
    is_in_session(&get, version, session);
    get
}

pub(super) fn initialized(version: &str) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": {"tools": {"listChanged": true}, "resources": {"subscribe": true}},
        "serverInfo": {"name": "old", "version": "1"}
    })
}

/// What every request after the handshake says, and what none does.
pub(super) fn is_in_session(post: &Post, version: &str, session: Option<&str>) {
    assert_eq!(post.header("mcp-session-id"), session);
    assert_eq!(post.header("mcp-protocol-version"), Some(version));
    for (name, _) in post.headers() {
        let name = name.to_ascii_lowercase();
        let is_modern = matches!(name.as_str(), "mcp-method" | "mcp-name");
        assert!(!is_modern && !name.starts_with("mcp-param-"), "{name}");
        assert_ne!(name, "cookie");
    }
}

/// A result as servers of these revisions write it.
pub(super) fn done(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

/// An event with an id.
pub(super) fn event(id: &str, message: &Value) -> String {
    format!("event: message\nid: {id}\ndata: {message}\n\n")
}

pub(super) fn answer(id: &Value, text: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": done(text)})
}
