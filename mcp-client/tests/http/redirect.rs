//! Redirects: within the origin, and only those that keep the message.

use std::time::Duration;

use mcp_client::{Error, HttpTransport};
use reqwest::redirect::Policy;
use serde_json::json;

use crate::support::{
    Server, builder, call, connect_listed, connect_to, discovered, done, list, tool,
};

fn to(location: &str) -> String {
    format!("location: {location}\r\n")
}

#[tokio::test]
async fn a_redirect_within_the_origin_keeps_message_and_headers() {
    for status in ["307 Temporary Redirect", "308 Permanent Redirect"] {
        let server = Server::start().await;
        let transport = HttpTransport::new(server.url("/mcp")).header("authorization", "Bearer x");
        let redirecting = async {
            let first = server.next().await;
            let (body, id) = (first.body.clone(), first.id());
            first.respond(status, &to("/mcp/"), "").await;
            let second = server.next().await;
            assert!(
                second.head.starts_with("POST /mcp/ HTTP/1.1"),
                "{}",
                second.head
            );
            assert_eq!(second.body, body);
            assert_eq!(second.id(), id);
            assert_eq!(second.header("authorization"), Some("Bearer x"));
            assert_eq!(second.header("mcp-method"), Some("server/discover"));
            second.reply(&discovered()).await;
        };
        let (client, ()) = tokio::join!(builder().connect(transport), redirecting);
        client.unwrap();
    }
}

#[tokio::test]
async fn other_redirects_are_errors_that_name_the_target() {
    let elsewhere = Server::start().await;
    let (client, server) = connect_listed(builder()).await;
    let tls = server.url("/mcp").replace("http:", "https:");
    for (status, location) in [
        ("301 Moved Permanently", server.url("/mcp/")),
        ("302 Found", server.url("/login")),
        ("303 See Other", server.url("/result")),
        ("300 Multiple Choices", server.url("/a")),
        ("307 Temporary Redirect", elsewhere.url("/mcp")),
        ("308 Permanent Redirect", elsewhere.url("/mcp")),
        ("308 Permanent Redirect", tls),
    ] {
        let calling = call(&client, "t", json!({}));
        let post = server.request("tools/call").await;
        post.respond(status, &to(&location), "").await;
        let error = calling.await.unwrap().unwrap_err();
        let expected: u16 = status[..3].parse().unwrap();
        assert!(
            matches!(&error, Error::RequestFailed { status: Some(status), reason, .. } if *status == expected && reason.contains(&location)),
            "{error}"
        );
    }
    elsewhere.hears_nothing().await;
    server.hears_nothing().await;
}

#[tokio::test]
async fn circles_end() {
    let (client, server) = connect_listed(builder()).await;
    let calling = call(&client, "t", json!({}));
    for _ in 0..6 {
        let post = server.request("tools/call").await;
        post.respond("307 Temporary Redirect", &to("/mcp"), "")
            .await;
    }
    let error = calling.await.unwrap().unwrap_err();
    assert!(error.to_string().contains("circles"), "{error}");
}

#[tokio::test]
async fn a_client_of_the_hosts_own_is_used_and_must_not_redirect() {
    let server = Server::start().await;
    let own = |policy| {
        reqwest::Client::builder()
            .user_agent("own")
            .redirect(policy)
            .build()
    };
    let transport = HttpTransport::new(server.url("/mcp")).client(own(Policy::none()).unwrap());
    let client = connect_to(&server, builder(), transport).await;
    list(&client, &server, json!([tool("t", json!({}))])).await;
    let calling = call(&client, "t", json!({}));
    let post = server.request("tools/call").await;
    assert_eq!(post.header("user-agent"), Some("own"));
    post.reply(&done("ok")).await;
    calling.await.unwrap().unwrap();

    let following = HttpTransport::new(server.url("/mcp")).client(own(Policy::limited(5)).unwrap());
    let impatient = builder().probe_timeout(Duration::from_millis(500));
    let connecting = tokio::spawn(impatient.connect(following));
    let post = server.next().await;
    post.respond("307 Temporary Redirect", &to("/other"), "")
        .await;
    server.next().await.reply(&discovered()).await;
    let error = connecting.await.unwrap().unwrap_err();
    assert!(error.to_string().contains("Policy::none()"), "{error}");
}

#[tokio::test]
async fn what_is_secret_in_the_url_is_sent_and_not_told() {
    let server = Server::start().await;
    let url = server
        .url("/mcp?key=a%26b#part")
        .replace("//", "//anna:hunter2@");
    let transport = HttpTransport::new(url);
    let redirecting = async {
        let first = server.next().await;
        assert!(
            first.head.starts_with("POST /mcp?key=a%26b HTTP/1.1"),
            "{}",
            first.head
        );
        assert_eq!(
            first.header("authorization"),
            Some("Basic YW5uYTpodW50ZXIy")
        );
        assert_eq!(first.header("host"), server.url("").strip_prefix("http://"));
        first.reply(&discovered()).await;
    };
    let (client, ()) = tokio::join!(builder().connect(transport), redirecting);
    let client = client.unwrap();
    list(&client, &server, json!([tool("t", json!({}))])).await;
    for (status, location) in [
        ("301 Moved Permanently", "/mcp/".to_owned()),
        (
            "307 Temporary Redirect",
            "http://anna:hunter2@other.example/mcp".to_owned(),
        ),
    ] {
        let calling = call(&client, "t", json!({}));
        let post = server.request("tools/call").await;
        post.respond(status, &to(&location), "").await;
        let error = calling.await.unwrap().unwrap_err().to_string();
        assert!(
            !error.contains("hunter2") && error.contains("/mcp"),
            "{error}"
        );
    }
}
