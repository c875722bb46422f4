//! The place for credentials, and what a refusal says.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use mcp_client::transport::http::{Authorize, Challenge, HeaderMap, Verdict};
use mcp_client::{Client, Error, HandlerError, HttpTransport};
use serde_json::json;
use tokio::time::timeout;

use crate::support::{Server, builder, call, connect_listed, discovered};

/// Tokens `t0`, `t1`, ...; a challenge leads to the next one, as often as allowed.
#[derive(Clone)]
struct Tokens {
    current: Arc<AtomicU32>,
    last: u32,
}

impl Tokens {
    fn up_to(last: u32) -> Self {
        Self {
            current: Arc::default(),
            last,
        }
    }
}

impl Authorize for Tokens {
    async fn authorize(&self, url: &str, headers: &mut HeaderMap) -> Result<(), HandlerError> {
        assert!(url.ends_with("/mcp"), "{url}");
        let token = format!("Bearer t{}", self.current.load(Ordering::SeqCst));
        headers.insert("authorization", token.parse()?);
        Ok(())
    }

    async fn challenged(&self, challenge: Challenge<'_>) -> Verdict {
        assert!(matches!(challenge.status, 401 | 403));
        assert_eq!(
            challenge.www_authenticate().as_deref(),
            Some("Bearer scope=\"a\"")
        );
        if self.current.load(Ordering::SeqCst) == self.last {
            return Verdict::GiveUp;
        }
        self.current.fetch_add(1, Ordering::SeqCst);
        Verdict::Retry
    }
}

const CHALLENGE: &str = "www-authenticate: Bearer scope=\"a\"\r\n";

async fn connect_with(tokens: Tokens, statuses: &[&str]) -> (Result<Client, Error>, Server) {
    let server = Server::start().await;
    let transport = HttpTransport::new(server.url("/mcp")).authorize(tokens);
    let refusing = async {
        for (turn, status) in statuses.iter().enumerate() {
            let post = server.request("server/discover").await;
            let expected = format!("Bearer t{turn}");
            assert_eq!(post.header("authorization"), Some(expected.as_str()));
            match *status {
                "200" => post.reply(&discovered()).await,
                status => post.respond(status, CHALLENGE, "").await,
            }
        }
    };
    let (client, ()) = tokio::join!(builder().connect(transport), refusing);
    (client, server)
}

#[tokio::test]
async fn a_challenge_is_met_with_other_credentials() {
    let statuses = ["401 Unauthorized", "403 Forbidden", "200"];
    let (client, server) = connect_with(Tokens::up_to(5), &statuses).await;
    client.unwrap();
    server.hears_nothing().await;
}

#[tokio::test]
async fn giving_up_is_an_error_with_the_challenge() {
    let (client, server) = connect_with(Tokens::up_to(0), &["401 Unauthorized"]).await;
    let error = client.unwrap_err();
    let Error::Unauthorized {
        status, challenge, ..
    } = &error
    else {
        panic!("{error}")
    };
    assert_eq!(
        (*status, challenge.as_deref()),
        (401, Some("Bearer scope=\"a\""))
    );
    server.hears_nothing().await;
}

#[tokio::test]
async fn endless_challenges_end() {
    let (client, server) = connect_with(Tokens::up_to(100), &["403 Forbidden"; 4]).await;
    assert!(matches!(
        client,
        Err(Error::Unauthorized { status: 403, .. })
    ));
    server.hears_nothing().await;
}

#[tokio::test]
async fn a_refusal_without_a_layer_is_an_error_of_its_own() {
    let (client, server) = connect_listed(builder()).await;
    for (status, headers, body, expected) in [
        (
            "401 Unauthorized",
            CHALLENGE,
            "",
            (401, Some("Bearer scope=\"a\""), "Bearer"),
        ),
        (
            "401 Unauthorized",
            "www-authenticate: A\r\nwww-authenticate: B\r\n",
            "",
            (401, Some("A, B"), "A, B"),
        ),
        ("403 Forbidden", "", "nobody may", (403, None, "nobody may")),
        (
            "403 Forbidden",
            "content-type: application/json\r\n",
            r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"bad origin"}}"#,
            (403, None, "bad origin"),
        ),
    ] {
        let calling = call(&client, "t", json!({}));
        let post = server.request("tools/call").await;
        assert_eq!(post.header("authorization"), None);
        post.respond(status, headers, body).await;
        let error = calling.await.unwrap().unwrap_err();
        let Error::Unauthorized {
            method,
            status,
            challenge,
            reason,
        } = &error
        else {
            panic!("{error}")
        };
        assert_eq!(method, "tools/call");
        assert_eq!((*status, challenge.as_deref()), (expected.0, expected.1));
        assert!(reason.contains(expected.2), "{reason}");
    }
}

#[tokio::test]
async fn without_credentials_nothing_is_sent() {
    struct Empty;
    impl Authorize for Empty {
        async fn authorize(&self, _: &str, _: &mut HeaderMap) -> Result<(), HandlerError> {
            Err("the keyring is locked".into())
        }
        async fn challenged(&self, _: Challenge<'_>) -> Verdict {
            Verdict::GiveUp
        }
    }
    let server = Server::start().await;
    let transport = HttpTransport::new(server.url("/mcp")).authorize(Empty);
    let error = builder().connect(transport).await.unwrap_err();
    assert!(
        error.to_string().contains("the keyring is locked"),
        "{error}"
    );
    server.hears_nothing().await;
}

#[tokio::test]
async fn a_layer_that_panics_fails_its_request_at_once() {
    /// Panics in the one place or in the other.
    struct Panics {
        on_challenge: bool,
    }
    impl Authorize for Panics {
        async fn authorize(&self, _: &str, _: &mut HeaderMap) -> Result<(), HandlerError> {
            assert!(self.on_challenge, "no keyring");
            Ok(())
        }
        async fn challenged(&self, _: Challenge<'_>) -> Verdict {
            panic!("no keyring")
        }
    }
    for on_challenge in [false, true] {
        let server = Server::start().await;
        let transport = HttpTransport::new(server.url("/mcp")).authorize(Panics { on_challenge });
        let connecting = tokio::spawn(builder().connect(transport));
        if on_challenge {
            let post = server.request("server/discover").await;
            post.respond("401 Unauthorized", CHALLENGE, "").await;
        }
        let connected = timeout(Duration::from_secs(10), connecting).await;
        let error = connected.expect("it waits").unwrap().unwrap_err();
        assert!(matches!(error, Error::RequestFailed { .. }), "{error}");
        assert!(error.to_string().contains("panicked"), "{error}");
    }
}
