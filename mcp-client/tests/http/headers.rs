//! The standard headers, and the URL.

use mcp_client::HttpTransport;
use serde_json::json;

use crate::support::{Server, builder, call, connect, connect_to, done, list, response, tool};

#[tokio::test]
async fn every_request_says_what_it_is() {
    let (client, server) = connect(builder()).await;
    let session = client.session();
    for (method, params, name) in [
        ("server/discover", json!({}), None),
        ("tools/list", json!({}), None),
        ("prompts/list", json!({"name": "x"}), None),
        ("prompts/get", json!({"name": "greet"}), Some("greet")),
        (
            "resources/read",
            json!({"uri": "file:///projects/config.json"}),
            Some("file:///projects/config.json"),
        ),
    ] {
        let answered = async {
            let post = server.next().await;
            assert!(
                post.head.starts_with("POST /mcp HTTP/1.1\r\n"),
                "{}",
                post.head
            );
            assert_eq!(post.header("mcp-method"), Some(method));
            assert_eq!(post.header("mcp-name"), name, "{method}");
            assert_eq!(post.header("mcp-protocol-version"), Some("2026-07-28"));
            assert_eq!(post.header("content-type"), Some("application/json"));
            let accept = post.header("accept").unwrap();
            for kind in ["application/json", "text/event-stream"] {
                assert!(
                    accept.split(", ").any(|accepted| accepted == kind),
                    "{accept}"
                );
            }
            let message = post.json();
            assert_eq!(message["method"], method);
            let version = &message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"];
            assert_eq!(version, "2026-07-28");
            post.reply(&json!({})).await;
        };
        let (result, ()) = tokio::join!(session.request(method, params), answered);
        result.unwrap();
    }
}

#[tokio::test]
async fn a_name_that_cannot_stand_in_a_header_is_encoded() {
    let (client, server) = connect(builder()).await;
    for (name, expected) in [
        ("add", "add"),
        ("é", "=?base64?w6k=?="),
        (" pad ", "=?base64?IHBhZCA=?="),
        ("a\nb", "=?base64?YQpi?="),
        ("=?base64?QQ==?=", "=?base64?PT9iYXNlNjQ/UVE9PT89?="),
    ] {
        list(&client, &server, json!([tool(name, json!({}))])).await;
        let calling = call(&client, name, json!({}));
        let post = server.request("tools/call").await;
        assert_eq!(post.header("mcp-name"), Some(expected));
        assert_eq!(post.json()["params"]["name"], name);
        post.reply(&done("ok")).await;
        calling.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn the_url_is_taken_as_it_is() {
    for (path, sent) in [
        ("", "/"),
        ("/", "/"),
        ("/mcp", "/mcp"),
        ("/mcp/", "/mcp/"),
        ("/a/b%20c?tenant=x", "/a/b%20c?tenant=x"),
    ] {
        let server = Server::start().await;
        let transport = HttpTransport::new(server.url(path));
        let probed = async {
            let post = server.next().await;
            assert!(
                post.head.starts_with(&format!("POST {sent} HTTP/1.1")),
                "{}",
                post.head
            );
            post.reply(&crate::support::discovered()).await;
        };
        let (client, ()) = tokio::join!(builder().connect(transport), probed);
        client.unwrap();
    }
}

#[tokio::test]
async fn a_header_of_the_host_goes_along_with_every_request() {
    let server = Server::start().await;
    let transport = HttpTransport::new(server.url("/mcp"))
        .header("x-tenant", "acme")
        .header("Mcp-Method", "nonsense");
    let client = connect_to(&server, builder(), transport).await;
    let calling = call(&client, "t", json!({}));
    for method in ["tools/list", "tools/call"] {
        let post = server.request(method).await;
        assert_eq!(post.header("x-tenant"), Some("acme"));
        assert_eq!(post.header("mcp-method"), Some(method));
        post.reply(&json!({"tools": [], "content": []})).await;
    }
    calling.await.unwrap().unwrap();
}

#[tokio::test]
async fn what_cannot_be_a_url_or_a_header_is_said_at_once() {
    const FULL: &str = "write it in full, such as http://127.0.0.1:3000/mcp";
    for (transport, named) in [
        (HttpTransport::new("host/mcp"), "URL"),
        (HttpTransport::new("ftp://host/mcp"), "ftp"),
        // Whose scheme was left out.
        (HttpTransport::new("127.0.0.1:3917"), FULL),
        (HttpTransport::new("localhost:3917/mcp"), FULL),
        (
            HttpTransport::new("http://host/mcp").header("a b", "x"),
            "\"a b\"",
        ),
        (
            HttpTransport::new("http://host/mcp").header("x-token", "hunter2\n"),
            "\"x-token\"",
        ),
    ] {
        let error = builder().connect(transport).await.unwrap_err();
        assert!(matches!(error, mcp_client::Error::Connect(_)), "{error:?}");
        let text = error.to_string();
        assert!(text.contains(named) && !text.contains("hunter2"), "{text}");
    }
}

#[test]
fn debug_output_keeps_secrets() {
    let transport = HttpTransport::new("https://joe:hunter2@host.example/mcp?key=hunter2")
        .header("authorization", "Bearer hunter2");
    let shown = format!("{transport:?}");
    assert!(!shown.contains("hunter2"), "{shown}");
    assert!(
        shown.contains("host.example/mcp") && shown.contains("authorization"),
        "{shown}"
    );
}

#[tokio::test]
async fn a_connection_serves_one_request_after_the_other() {
    let server = Server::start().await;
    let connecting = tokio::spawn(builder().connect(HttpTransport::new(server.url("/mcp"))));
    let mut post = server.next().await;
    let mut client = None;
    let mut connecting = Some(connecting);
    let mut calling = None;
    // The probe, answered in JSON; then calls, answered in a stream and in JSON.
    for streamed in [false, false, true, false] {
        let result = match post.header("mcp-method").unwrap() {
            "server/discover" => crate::support::discovered(),
            "tools/list" => json!({"tools": []}),
            _ => done("ok"),
        };
        let message = response(&post.id(), &result);
        let (kind, body) = match streamed {
            true => ("text/event-stream", format!("data: {message}\n\n")),
            false => ("application/json", message),
        };
        let chunked = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n",
            body.len()
        );
        post.write(chunked).await;
        if let Some(connecting) = connecting.take() {
            client = Some(connecting.await.unwrap().unwrap());
            calling = Some(call(client.as_ref().unwrap(), "t", json!({})));
        } else if result == done("ok") {
            calling.take().unwrap().await.unwrap().unwrap();
            calling = Some(call(client.as_ref().unwrap(), "t", json!({})));
        }
        post = post.next().await.expect("a new connection was made");
    }
}

#[tokio::test]
async fn headers_of_the_protocol_come_from_the_message_alone() {
    let server = Server::start().await;
    let mut transport = HttpTransport::new(server.url("/mcp"));
    for name in [
        "Mcp-Name",
        "Mcp-Param-Region",
        "MCP-Protocol-Version",
        "X-Own",
    ] {
        transport = transport.header(name, "own");
    }
    let probing = async {
        let probe = server.request("server/discover").await;
        assert_eq!(probe.header("mcp-name"), None);
        assert_eq!(probe.params(), []);
        assert_eq!(probe.header("mcp-protocol-version"), Some("2026-07-28"));
        assert_eq!(probe.header("x-own"), Some("own"));
        probe.reply(&crate::support::discovered()).await;
    };
    let (client, ()) = tokio::join!(builder().connect(transport), probing);
    client.unwrap();
}
