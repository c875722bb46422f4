//! The endpoint inside of an application: layers in front of it, and what they say of the caller.

use std::{
    collections::VecDeque,
    net::SocketAddr,
    pin::Pin,
    task::{self, Poll},
};

use axum::{
    Router,
    body::Body,
    extract::Request,
    middleware::{Next, from_fn},
    response::Response,
};
use http_body_util::{BodyExt, Full};
use mcp_server::{Identity, StreamableHttp, prelude::*, state::Principal};
use mcp_tests::wire::text;
use serde_json::{Value, json};
use tower::{Service, ServiceExt};

use crate::{Confirm, echo};

/// Who is logged in.
#[derive(Debug, Clone)]
struct User {
    name: String,
    client: Option<String>,
}

impl Identity for User {
    fn issuer(&self) -> &str {
        "https://login.example"
    }

    fn subject(&self) -> &str {
        &self.name
    }

    fn client(&self) -> Option<&str> {
        self.client.as_deref()
    }
}

/// Says who calls.
#[tool]
async fn who(ctx: Context) -> String {
    let user = ctx.extension::<User>().map(|user| user.name.as_str());
    let principal = match ctx.principal() {
        Principal::Caller {
            issuer,
            subject,
            client,
        } => {
            format!("{subject} of {issuer} by {client:?}")
        }
        other => format!("{other:?}"),
    };
    format!("{user:?}: {principal}")
}

/// Asks by name.
fn by_name(ctx: &Context) -> mcp_server::Ask<Confirm> {
    let name = ctx.extension::<User>().map_or("nobody", |user| &user.name);
    mcp_server::Ask::form(format!("Really, {name}?"))
}

/// Deletes everything.
#[tool]
async fn delete(#[resolve(by_name(&ctx))] answer: Elicit<Confirm>, ctx: Context) -> String {
    let _ = ctx;
    format!("{answer:?}")
}

fn server() -> Server {
    let server = Server::builder("shop", "1.0.0").tools(tools![who, delete, echo]);
    server.build().unwrap()
}

/// A layer that takes the caller's word for it.
async fn log_in(mut request: Request, next: Next) -> Response {
    let user = request.headers().get("x-user").map(|name| User {
        name: name.to_str().unwrap().to_owned(),
        client: Some("desk".to_owned()),
    });
    if let Some(user) = user {
        request.extensions_mut().insert(user);
    }
    next.run(request).await
}

fn post(path: &str, user: &str, params: Value) -> http::Request<Body> {
    ask("tools/call", path, user, params)
}

fn ask(method: &str, path: &str, user: &str, params: Value) -> http::Request<Body> {
    let mut params = params;
    params["_meta"] = crate::meta(|meta| {
        meta["io.modelcontextprotocol/clientCapabilities"] = json!({"elicitation": {}});
    });
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    http::Request::post(path)
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", method)
        .header("mcp-name", params["name"].as_str().unwrap_or_default())
        .header("x-user", user)
        .body(Body::from(message.to_string()))
        .unwrap()
}

async fn send(app: &Router, request: http::Request<Body>) -> Value {
    let response = app.clone().oneshot(request).await.unwrap();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    serde_json::from_slice(&body).unwrap_or_else(|_| panic!("{body:?}"))
}

#[tokio::test]
async fn the_caller_is_whom_a_layer_has_found() {
    let http = server().http().principal_from::<User>();
    let app = Router::new()
        .nest_service("/mcp", http)
        .layer(from_fn(log_in));
    // Both spellings of the path reach it.
    for path in ["/mcp", "/mcp/"] {
        let answer = send(&app, post(path, "alice", json!({"name": "who"}))).await;
        assert_eq!(
            text(&answer),
            r#"Some("alice"): alice of https://login.example by Some("desk")"#
        );
    }
}

/// Who may use what only Alice sees.
fn is_alice(caller: &Principal) -> bool {
    matches!(caller, Principal::Caller { subject, .. } if subject == "alice")
}

#[tokio::test]
async fn callers_see_the_lists_that_are_theirs() {
    let server = Server::builder("shop", "1.0.0")
        .tools(tools![who])
        .tools(tools![echo].visible_to(is_alice))
        .build()
        .unwrap();
    let app = Router::new()
        .nest_service("/mcp", server.http().principal_from::<User>())
        .layer(from_fn(log_in));
    for (user, seen) in [("alice", vec!["who", "echo"]), ("bob", vec!["who"])] {
        let answer = send(&app, ask("tools/list", "/mcp", user, json!({}))).await;
        let listed = answer["result"]["tools"].as_array().unwrap();
        let names: Vec<&str> = listed
            .iter()
            .filter_map(|tool| tool["name"].as_str())
            .collect();
        assert_eq!(names, seen, "{user}");
        assert_eq!(answer["result"]["cacheScope"], "private");
    }
    // What Bob does not see he cannot tell from what does not exist.
    let called = |name: &str| json!({"name": name, "arguments": {"text": "hi"}});
    let hidden = send(&app, post("/mcp", "bob", called("echo"))).await;
    let absent = send(&app, post("/mcp", "bob", called("none"))).await;
    assert_eq!(hidden["error"]["code"], -32602);
    assert_eq!(
        hidden["error"]["message"]
            .as_str()
            .unwrap()
            .replace("echo", "none"),
        absent["error"]["message"]
    );
    let answer = send(&app, post("/mcp", "alice", called("echo"))).await;
    assert_eq!(text(&answer), "hi");
}

#[tokio::test]
async fn extensions_reach_tools_although_nobody_vouches_for_the_caller() {
    let app = Router::new()
        .route_service("/x", server().http())
        .layer(from_fn(log_in));
    let answer = send(&app, post("/x", "alice", json!({"name": "who"}))).await;
    assert_eq!(text(&answer), r#"Some("alice"): Anonymous"#);
    let app = Router::new().route_service("/x", server().http().principal_from::<User>());
    let answer = send(&app, post("/x", "alice", json!({"name": "who"}))).await;
    assert_eq!(text(&answer), "None: Anonymous");
}

#[tokio::test]
async fn a_question_is_for_the_caller_who_was_asked() {
    let http = server().http().principal_from::<User>();
    let app = Router::new()
        .nest_service("/mcp", http)
        .layer(from_fn(log_in));
    let asked = send(&app, post("/mcp", "alice", json!({"name": "delete"}))).await;
    assert_eq!(mcp_tests::wire::message(&asked, "answer"), "Really, alice?");
    let params = mcp_tests::wire::retry_params(
        "delete",
        json!({}),
        &asked,
        json!({"answer": {"action": "accept", "content": {"confirm": true}}}),
    );
    let mallory = send(&app, post("/mcp", "mallory", params.clone())).await;
    assert_eq!(mcp_tests::wire::code(&mallory), -32602);
    let alice = send(&app, post("/mcp", "alice", params)).await;
    assert_eq!(text(&alice), "Accept(Confirm { confirm: true })");
}

/// A body of which a few bytes come at a time, after a pause.
struct Pieces {
    left: Vec<u8>,
    waited: bool,
}

impl http_body::Body for Pieces {
    type Data = VecDeque<u8>;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut task::Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<VecDeque<u8>>, std::io::Error>>> {
        if self.left.is_empty() {
            return Poll::Ready(None);
        }
        self.waited = !self.waited;
        if self.waited {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let count = self.left.len().min(9);
        let piece = self.left.drain(..count).collect();
        Poll::Ready(Some(Ok(http_body::Frame::data(piece))))
    }
}

/// Any body will do, and a body that comes in pieces.
#[tokio::test]
async fn the_service_takes_requests_with_any_body() {
    let mut http: StreamableHttp = server().http();
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "echo", "arguments": {"text": "pieces"}, "_meta": crate::meta(|_| ()),
    }})
    .to_string();
    let (parts, _) = post("/", "alice", json!({"name": "echo"})).into_parts();
    let whole = http::Request::from_parts(
        parts.clone(),
        Full::new(bytes::Bytes::from(message.clone())),
    );
    let pieces = http::Request::from_parts(
        parts,
        Pieces {
            left: message.into_bytes(),
            waited: false,
        },
    );
    let response = http.call(whole).await.unwrap();
    assert_eq!(response.status(), 200);
    let response = Service::<http::Request<_>>::call(&mut http, pieces)
        .await
        .unwrap();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(text(&serde_json::from_slice(&body).unwrap()), "pieces");
}

/// Without a word about hosts, an application is for this machine.
#[tokio::test]
async fn an_application_serves_loopback_names_until_it_names_hosts() {
    for (http, host, status) in [
        (server().http(), "localhost:1", 200),
        (server().http(), "mcp.example.com", 403),
        (
            server().http().allowed_hosts(["mcp.example.com"]),
            "mcp.example.com",
            200,
        ),
        (
            server().http().allowed_hosts(["mcp.example.com"]),
            "localhost",
            403,
        ),
    ] {
        let app = Router::new().nest_service("/mcp", http);
        let mut request = post("/mcp", "alice", json!({"name": "who"}));
        request.headers_mut().insert("host", host.parse().unwrap());
        assert_eq!(
            app.oneshot(request).await.unwrap().status(),
            status,
            "{host}"
        );
    }
}

/// And the whole way, over a socket.
#[tokio::test]
async fn an_application_can_be_served_by_axum() {
    let http = server().http().principal_from::<User>();
    let app = Router::new()
        .nest_service("/mcp", http)
        .layer(from_fn(log_in));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address: SocketAddr = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await });
    let stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let io = hyper_util::rt::TokioIo::new(stream);
    let (mut client, connection) = hyper::client::conn::http1::handshake(io).await.unwrap();
    tokio::spawn(connection);
    let response = client
        .send_request(post("/mcp", "bob", json!({"name": "who"})))
        .await
        .unwrap();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    let answer: Value = serde_json::from_slice(&body).unwrap();
    assert!(
        text(&answer).starts_with(r#"Some("bob"): bob of"#),
        "{answer}"
    );
}
