//! Which revision the server speaks, as the first request finds out.

use mcp_client::{Builder, Client, Error, HttpTransport, Revision};
use serde_json::{Value, json};

use crate::support::{Server, builder, call, connect_listed, discovered, done};

/// Connects to a server that answers each request as `answers` say.
async fn connecting(answers: &[(&str, &str, &str)]) -> (Result<Client, Error>, Vec<Value>) {
    connecting_as(builder(), answers).await
}

async fn connecting_as(
    builder: Builder,
    answers: &[(&str, &str, &str)],
) -> (Result<Client, Error>, Vec<Value>) {
    let server = Server::start().await;
    let answering = async {
        let mut asked = Vec::new();
        for (status, headers, body) in answers {
            let post = server.next().await;
            if post.is("GET") {
                post.respond(status, headers, body).await;
                continue;
            }
            asked.push(post.json());
            if post.json()["method"] == "initialize" {
                assert_eq!(post.header("mcp-protocol-version"), None);
            }
            let body = body.replace("ID", &post.id().to_string());
            post.respond(status, headers, body).await;
        }
        asked
    };
    let transport = HttpTransport::new(server.url("/mcp"));
    let (client, asked) = tokio::join!(builder.connect(transport), answering);
    server.hears_nothing().await;
    (client, asked)
}

const JSON: &str = "content-type: application/json\r\n";
const EVENTS: &str = "content-type: text/event-stream\r\n";
const UNSUPPORTED: &str = r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"],"requested":"2026-07-28"}}}"#;
const OTHER: &str = r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32022,"message":"no","data":{"supported":["2099-01-01"]}}}"#;
const UNKNOWN_METHOD: &str =
    r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"Method not found"}}"#;
const HANDSHAKE: &str = r#"{"jsonrpc":"2.0","id":ID,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"old","version":"1"}}}"#;

#[tokio::test]
async fn a_server_that_names_our_version_is_asked_once_more() {
    let found = json!({"jsonrpc": "2.0", "id": 2, "result": discovered()}).to_string();
    let (client, asked) = connecting(&[
        ("400 Bad Request", JSON, UNSUPPORTED),
        ("200 OK", JSON, &found),
    ])
    .await;
    client.unwrap();
    assert_eq!(asked[0]["params"], asked[1]["params"]);

    let (client, _) = connecting(&[("400 Bad Request", JSON, UNSUPPORTED); 2]).await;
    assert!(matches!(client, Err(Error::UnsupportedVersion { .. })));
}

#[tokio::test]
async fn so_is_it_in_a_later_call() {
    let (client, server) = connect_listed(builder()).await;
    let calling = call(&client, "t", json!({}));
    let post = server.request("tools/call").await;
    let data = json!({"supported": ["2026-07-28"]});
    post.fail(
        "400 Bad Request",
        json!({"code": -32022, "message": "no", "data": data}),
    )
    .await;
    server.request("tools/call").await.reply(&done("ok")).await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "ok");
}

#[tokio::test]
async fn a_server_of_other_versions_is_asked_once() {
    let (client, _) = connecting(&[("400 Bad Request", JSON, OTHER)]).await;
    let error = client.unwrap_err();
    assert!(
        matches!(&error, Error::UnsupportedVersion { theirs, .. } if theirs == &["2099-01-01"]),
        "{error}"
    );
}

#[tokio::test]
async fn an_older_server_is_recognised_however_it_refuses() {
    let no_session = r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Bad Request: Missing session ID"}}"#;
    let streamed = format!("event: message\ndata: {UNKNOWN_METHOD}\n\n");
    for refusal in [
        ("404 Not Found", JSON, UNKNOWN_METHOD),
        ("200 OK", EVENTS, streamed.as_str()),
        ("400 Bad Request", JSON, no_session),
        ("404 Not Found", JSON, no_session),
        ("404 Not Found", "", "no such page"),
        (
            "400 Bad Request",
            "content-type: text/plain\r\n",
            "no valid session",
        ),
        ("400 Bad Request", "", ""),
        ("405 Method Not Allowed", "", ""),
    ] {
        let events = format!("data: {HANDSHAKE}\n\n");
        for handshake in [
            ("200 OK", JSON, HANDSHAKE),
            ("200 OK", EVENTS, events.as_str()),
        ] {
            let pinned = builder().revision(Revision::V2026_07_28);
            let (client, _) = connecting_as(pinned, &[refusal, handshake]).await;
            let error = client.unwrap_err();
            assert!(
                matches!(&error, Error::OldServer { theirs: Some(theirs), .. } if theirs == "2025-11-25"),
                "{refusal:?}: {error}"
            );
        }
    }
}

#[tokio::test]
async fn a_server_of_another_kind_is_said_to_be_what_it_is() {
    let page = (
        "404 Not Found",
        "content-type: text/html\r\n",
        "<h1>Not found</h1>",
    );
    // It may have the transport of 2024-11-05, which is asked for last.
    let pages = if cfg!(feature = "legacy") { 3 } else { 2 };
    let (client, _) = connecting(&vec![page; pages]).await;
    let error = client.unwrap_err();
    assert!(
        matches!(&error, Error::RequestFailed { status: Some(404), method, .. } if method == "server/discover"),
        "{error}"
    );
    // Anything but a refusal of the request says nothing about revisions.
    let (client, _) = connecting(&[("502 Bad Gateway", "", "")]).await;
    assert!(matches!(
        client,
        Err(Error::RequestFailed {
            status: Some(502),
            ..
        })
    ));
}

/// Whatever tells it: a web server, in HTML, or a server of ours that is asked under a wrong path, in JSON-RPC.
#[tokio::test]
async fn a_url_without_an_endpoint_is_said_to_be_wrong() {
    const PAGE: (&str, &str, &str) = ("404 Not Found", "", "no such page");
    let elsewhere = |id: &str| {
        format!(r#"{{"jsonrpc":"2.0",{id}"error":{{"code":-32600,"message":"nothing is here"}}}}"#)
    };
    let [without, null] = ["", r#""id":null,"#].map(elsewhere);
    for (answer, said) in [
        (PAGE, "no such page"),
        (("404 Not Found", JSON, without.as_str()), "nothing is here"),
        (("404 Not Found", JSON, null.as_str()), "nothing is here"),
    ] {
        for builder in [builder(), builder().revision(Revision::V2026_07_28)] {
            // The transport of 2024-11-05 is asked for last.
            let answers = if cfg!(feature = "legacy") { 3 } else { 2 };
            let (client, _) = connecting_as(builder, &vec![answer; answers]).await;
            let error = client.unwrap_err();
            assert!(
                matches!(
                    &error,
                    Error::RequestFailed {
                        status: Some(404),
                        ..
                    }
                ),
                "{error}"
            );
            let text = error.to_string();
            assert!(
                text.contains("there is no MCP endpoint at this URL"),
                "{text}"
            );
            assert!(
                text.contains("404 Not Found") && text.contains(said),
                "{text}"
            );
            assert!(!text.contains("revision"), "{text}");
        }
    }
}

/// Something is there: it has said what it does not want.
#[cfg(feature = "legacy")]
#[tokio::test]
async fn one_request_alone_that_finds_nothing_says_nothing_about_the_url() {
    let page = ("404 Not Found", "", "no such page");
    let refusal = ("405 Method Not Allowed", "", "");
    for answers in [[page, refusal, page], [refusal, page, page]] {
        let (client, _) = connecting(&answers).await;
        let text = client.unwrap_err().to_string();
        assert!(!text.contains("no MCP endpoint"), "{text}");
    }
}
