//! How a server is recognised as an older one, and what it may say instead.

use std::sync::Mutex;

use mcp_client::transport::http::{Authorize, Challenge, HeaderMap, Verdict};
use mcp_client::{Eras, Error, HandlerError, HttpTransport};
use serde_json::json;

use super::support::{JSON, NEWEST, begin, initialized, is_in_session};
use crate::support::{Server, builder};

const EVENTS: &str = "content-type: text/event-stream\r\n";
const HTML: &str = "content-type: text/html\r\n";

fn error(code: i32) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "error": {"code": code, "message": "no"}}).to_string()
}

#[tokio::test]
async fn whatever_is_no_answer_of_today_means_the_handshake() {
    let streamed = format!("data: {}\n\n", error(-32601));
    let other = json!({"jsonrpc": "2.0", "id": 999, "result": {}}).to_string();
    for (status, headers, body) in [
        ("400 Bad Request", "", String::new()),
        ("400 Bad Request", HTML, "<h1>Bad Request</h1>".to_owned()),
        ("400 Bad Request", JSON, "{}".to_owned()),
        (
            "400 Bad Request",
            JSON,
            r#"{"error":"no session"}"#.to_owned(),
        ),
        ("400 Bad Request", JSON, error(-32000)),
        ("400 Bad Request", JSON, error(-32600)),
        ("400 Bad Request", JSON, error(-32602)),
        (
            "400 Bad Request",
            JSON,
            r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"no"}}"#
                .to_owned(),
        ),
        ("404 Not Found", "", String::new()),
        ("404 Not Found", JSON, error(-32601)),
        (
            "404 Not Found",
            JSON,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}"#.to_owned(),
        ),
        ("405 Method Not Allowed", "", String::new()),
        ("406 Not Acceptable", JSON, error(-32000)),
        (
            "422 Unprocessable Content",
            JSON,
            r#"{"detail":[]}"#.to_owned(),
        ),
        ("500 Internal Server Error", "", String::new()),
        ("200 OK", JSON, error(-32601)),
        ("200 OK", JSON, error(-32602)),
        ("200 OK", JSON, error(-32000)),
        ("200 OK", JSON, "garbage".to_owned()),
        ("200 OK", JSON, other),
        ("200 OK", HTML, "<h1>Hello</h1>".to_owned()),
        ("200 OK", "", String::new()),
        ("202 Accepted", "", String::new()),
        ("204 No Content", "", String::new()),
        ("200 OK", EVENTS, streamed),
        ("200 OK", EVENTS, String::new()),
    ] {
        let server = Server::start().await;
        let answering = async {
            let probe = server.request("server/discover").await;
            probe.respond(status, headers, &body).await;
            begin(&server, NEWEST, Some("s-1")).await
        };
        let connecting = builder().connect(HttpTransport::new(server.url("/mcp")));
        let (client, get) = tokio::join!(connecting, answering);
        let client = client.unwrap_or_else(|e| panic!("{status} {body}: {e}"));
        assert_eq!(client.revision().as_str(), NEWEST);
        drop(get);
    }
}

#[tokio::test]
async fn the_handshake_may_be_answered_by_a_stream() {
    let server = Server::start().await;
    let answering = async {
        let probe = server.request("server/discover").await;
        probe.respond("400 Bad Request", "", "").await;
        let post = server.request("initialize").await;
        let id = post.id();
        let headers = format!("{EVENTS}mcp-session-id: s-1\r\n");
        post.respond("200 OK", &headers, "id: 1\nretry: 10\ndata:\n\n")
            .await;
        let get = server.next().await;
        assert!(get.is("GET"), "{}", get.head);
        assert_eq!(get.header("last-event-id"), Some("1"));
        assert_eq!(get.header("mcp-session-id"), Some("s-1"));
        let answer = json!({"jsonrpc": "2.0", "id": id, "result": initialized(NEWEST)});
        get.stream(format!("data: {answer}\n\n")).await;
        let post = server.request("notifications/initialized").await;
        is_in_session(&post, NEWEST, Some("s-1"));
        post.respond("202 Accepted", "", "").await;
        server.next().await
    };
    let connecting = builder().connect(HttpTransport::new(server.url("/mcp")));
    let (client, get) = tokio::join!(connecting, answering);
    client.unwrap();
    assert!(get.is("GET"), "{}", get.head);
}

#[tokio::test]
async fn what_only_a_server_of_today_says_is_not_taken_for_an_older_one() {
    for (code, data) in [
        (-32020, json!(null)),
        (-32021, json!({"requiredCapabilities": {"sampling": {}}})),
        (
            -32022,
            json!({"supported": ["2099-01-01"], "requested": "2026-07-28"}),
        ),
    ] {
        for streamed in [false, true] {
            let server = Server::start().await;
            let answering = async {
                let probe = server.request("server/discover").await;
                let error = json!({"code": code, "message": "no", "data": data});
                match streamed {
                    false => probe.fail("400 Bad Request", error).await,
                    true => {
                        let answer = json!({"jsonrpc": "2.0", "id": probe.id(), "error": error});
                        probe.stream(format!("data: {answer}\n\n")).await;
                    }
                }
            };
            let connecting = builder().connect(HttpTransport::new(server.url("/mcp")));
            let (client, ()) = tokio::join!(connecting, answering);
            assert_eq!(client.unwrap_err().code(), Some(code));
            server.hears_nothing().await;
        }
    }
}

#[tokio::test]
async fn what_stands_before_a_server_says_nothing_about_it() {
    for (status, code) in [
        ("401 Unauthorized", 401),
        ("403 Forbidden", 403),
        ("429 Too Many Requests", 429),
        ("502 Bad Gateway", 502),
        ("503 Service Unavailable", 503),
        ("504 Gateway Timeout", 504),
    ] {
        let server = Server::start().await;
        let answering = async {
            let probe = server.request("server/discover").await;
            probe.respond(status, "", "").await;
        };
        let connecting = builder().connect(HttpTransport::new(server.url("/mcp")));
        let (client, ()) = tokio::join!(connecting, answering);
        let error = client.unwrap_err();
        let (Error::RequestFailed {
            status: Some(status),
            ..
        }
        | Error::Unauthorized { status, .. }) = &error
        else {
            panic!("{error}");
        };
        assert_eq!(*status, code);
        server.hears_nothing().await;
    }
}

/// A token that must be asked for.
#[derive(Default)]
struct Login(Mutex<Option<&'static str>>);

impl Authorize for Login {
    async fn authorize(&self, _url: &str, headers: &mut HeaderMap) -> Result<(), HandlerError> {
        if let Some(token) = *self.0.lock().unwrap() {
            headers.insert("authorization", token.parse()?);
        }
        Ok(())
    }

    async fn challenged(&self, _challenge: Challenge<'_>) -> Verdict {
        *self.0.lock().unwrap() = Some("Bearer t");
        Verdict::Retry
    }
}

#[tokio::test]
async fn a_server_that_wants_credentials_first_is_recognised_after_that() {
    let server = Server::start().await;
    let answering = async {
        let probe = server.request("server/discover").await;
        assert_eq!(probe.header("authorization"), None);
        let challenge = "www-authenticate: Bearer\r\n";
        probe.respond("401 Unauthorized", challenge, "").await;
        let probe = server.request("server/discover").await;
        assert_eq!(probe.header("authorization"), Some("Bearer t"));
        probe
            .respond("200 OK", EVENTS, format!("data: {}\n\n", error(-32601)))
            .await;
        let get = begin(&server, NEWEST, Some("s-1")).await;
        // On every request, whatever its method.
        assert_eq!(get.header("authorization"), Some("Bearer t"));
        get.respond("401 Unauthorized", challenge, "").await;
        let get = server.next().await;
        assert!(get.is("GET"), "{}", get.head);
        is_in_session(&get, NEWEST, Some("s-1"));
        get.respond("405 Method Not Allowed", "", "").await;
    };
    let transport = HttpTransport::new(server.url("/mcp")).authorize(Login::default());
    let (client, ()) = tokio::join!(builder().connect(transport), answering);
    let ended = async {
        let delete = server.next().await;
        assert!(delete.is("DELETE"), "{}", delete.head);
        assert_eq!(delete.header("authorization"), Some("Bearer t"));
        delete
            .respond("307 Temporary Redirect", "location: /mcp/\r\n", "")
            .await;
        let delete = server.next().await;
        assert!(delete.head.starts_with("DELETE /mcp/ "), "{}", delete.head);
        assert_eq!(delete.header("mcp-session-id"), Some("s-1"));
        delete.respond("200 OK", "", "").await;
    };
    let client = client.unwrap();
    tokio::join!(client.close(), ended);
}

#[tokio::test]
async fn a_server_that_is_remembered_gets_the_handshake_at_once() {
    let eras = Eras::new();
    let server = Server::start().await;
    let url = server.url("/mcp");
    let connect = |url: &str| builder().eras(&eras).connect(HttpTransport::new(url));
    let answering = async {
        let probe = server.request("server/discover").await;
        probe.respond("400 Bad Request", "", "").await;
        begin(&server, NEWEST, Some("s-1")).await
    };
    let (first, _get) = tokio::join!(connect(&url), answering);
    let _first = first.unwrap();
    // Keys and the like make no other server of it.
    let url = format!("{}?key=1#x", url.replace("//", "//user:password@"));
    let (second, _get) = tokio::join!(connect(&url), begin(&server, NEWEST, Some("s-2")));
    second.unwrap();
    assert!(!format!("{eras:?}").contains("password"), "{eras:?}");
}
