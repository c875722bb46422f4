//! Pages: that the user agreed to open one says nothing of what happened there.

use std::sync::Arc;

use mcp_server::prelude::*;
use mcp_server::testing::{BodyCount, TestHost};
use mcp_tests::{
    official::call,
    wire::{Wire, asked, code, text, tool_error},
};
use serde_json::json;

use crate::support::{Confirm, Known};

/// Pays a refund to the account that the user connects.
#[tool]
async fn pay(
    ctx: Context,
    accounts: State<Known>,
    #[resolve(connect(&ctx, &accounts))] account: Resolve<String>,
) -> String {
    format!("paid to {}", *account)
}

/// Tells refusals apart.
#[tool]
async fn try_pay(
    ctx: Context,
    accounts: State<Known>,
    #[resolve(connect(&ctx, &accounts))] account: Elicit<String>,
) -> String {
    format!("{account:?}")
}

fn connect(ctx: &Context, accounts: &Known) -> Result<Ask<String>, ToolError> {
    let known = accounts.get();
    if !known.is_empty() {
        return Ok(Ask::ready(known));
    }
    let flow = ctx.flow("connect")?;
    // The address may change from round to round; the flow does not.
    let url = format!("https://pay.example/{}?round={}", flow.id(), ctx.round());
    Ok(Ask::url("Connect your account on its own page.", url).at_most(5))
}

fn shop() -> (Server, Arc<Known>, BodyCount) {
    let accounts = Arc::new(Known::default());
    let bodies = BodyCount::new();
    let server = Server::builder("shop", "1.0.0")
        .shared_state(accounts.clone())
        .tools(tools![pay, try_pay])
        .layer(bodies.clone())
        .build()
        .unwrap();
    (server, accounts, bodies)
}

#[tokio::test]
async fn accepting_is_not_completion() {
    let (server, accounts, bodies) = shop();
    let mut wire = Wire::open(&server);
    let agreed = || json!({"account": {"action": "accept"}});
    let first = wire.call("pay", json!({})).await;
    let params = &first["result"]["inputRequests"]["account"]["params"];
    assert_eq!(params["mode"], "url");
    assert_eq!(params["message"], "Connect your account on its own page.");
    let url = params["url"].as_str().unwrap().to_owned();
    assert!(
        url.starts_with("https://pay.example/") && url.ends_with("?round=1"),
        "{url}"
    );
    let second = wire.retry("pay", json!({}), &first, agreed()).await;
    assert_eq!(asked(&second), ["account"]);
    let again = second["result"]["inputRequests"]["account"]["params"]["url"]
        .as_str()
        .unwrap();
    assert_eq!(again, url.replace("round=1", "round=2"));
    // What a client puts into the answer is no proof either.
    let claimed = json!({"account": {"action": "accept", "content": {"account": "mine"}}});
    let third = wire.retry("pay", json!({}), &second, claimed).await;
    assert_eq!(asked(&third), ["account"]);
    bodies.assert_ran("pay", 0);
    accounts.set("A-1");
    let last = wire.retry("pay", json!({}), &third, agreed()).await;
    assert_eq!(text(&last), "paid to A-1");
    bodies.assert_ran("pay", 1);
}

/// The flow may have finished although the client says that its user closed the page: the records decide.
#[tokio::test]
async fn what_the_server_knows_beats_what_the_client_says() {
    let (server, accounts, _) = shop();
    let mut wire = Wire::open(&server);
    let first = wire.call("pay", json!({})).await;
    accounts.set("A-2");
    let last = wire
        .retry(
            "pay",
            json!({}),
            &first,
            json!({"account": {"action": "decline"}}),
        )
        .await;
    assert_eq!(text(&last), "paid to A-2");
}

#[tokio::test]
async fn decline_and_cancel_end_the_wait() {
    let (server, _, bodies) = shop();
    let declined = call(&TestHost::new(&server).decline("account"), "pay", json!({})).await;
    declined.assert_tool_error("the user declined; do not ask again");
    let closed = call(&TestHost::new(&server).cancel("account"), "pay", json!({})).await;
    closed.assert_tool_error("the user closed the form; ask again later");
    bodies.assert_ran("pay", 0);
    // Although its address was another one in each round.
    let host = TestHost::new(&server).agree("account").decline("account");
    let declined = call(&host, "try_pay", json!({})).await;
    declined.assert_asked(["account", "account"]);
    declined.assert_text("Decline");
}

/// Sends the user somewhere.
#[tool]
async fn go(
    url: String,
    #[resolve(Ask::url("Go there.", url.clone()))] done: Resolve<Confirm>,
) -> String {
    format!("{}", done.confirm)
}

/// An address that a client should refuse is not sent: the fault is the server's, and its log says what it was.
#[tokio::test]
async fn addresses_must_be_absolute_and_safe() {
    let server = Server::builder("shop", "1.0.0")
        .tools(tools![go])
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    for url in [
        "/pay",
        "http://shop.example/pay",
        "https://user:secret@shop.example/",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "https://shop.example/\u{202e}",
        "",
    ] {
        let answer = wire.call("go", json!({"url": url})).await;
        assert_eq!(code(&answer), -32603, "{url}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(!message.contains("secret"), "{message}");
    }
    for url in [
        "https://shop.example/pay?x=1#y",
        "http://127.0.0.1:8080/",
        "http://localhost/",
    ] {
        let answer = wire.call("go", json!({"url": url})).await;
        assert_eq!(asked(&answer), ["done"], "{url}");
    }
}

/// Two calls of different flows do not share an answer, and a state of one does not serve the other.
#[tokio::test]
async fn an_exhausted_flow_can_be_begun_anew() {
    let (server, accounts, _) = shop();
    let host = TestHost::new(&server).agree("account");
    let ended = call(&host, "pay", json!({})).await;
    assert_eq!(ended.questions.len(), 5);
    ended.assert_tool_error("was shown 5 times");
    accounts.set("A-3");
    call(&host, "pay", json!({}))
        .await
        .assert_text("paid to A-3");
    let mut wire = Wire::open(&server);
    let done = wire.call("pay", json!({})).await;
    assert_eq!(text(&done), "paid to A-3");
    accounts.set("");
    let first = wire.call("pay", json!({})).await;
    let declined = wire
        .retry(
            "pay",
            json!({}),
            &first,
            json!({"account": {"action": "decline"}}),
        )
        .await;
    assert!(tool_error(&declined).contains("declined"));
}
