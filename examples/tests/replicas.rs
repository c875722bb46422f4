//! Servers of one shop that share a key: a call that one has paused goes on at another.

#![allow(clippy::unwrap_used)]

use mcp_client::{Answer, ChildProcess, Client, Error, Kind, PausedCall, Round, Session};
use mcp_examples::shop::{
    Api,
    model::{Quote, Refund, RefundStatus},
    serve::{API_VARIABLE, KEY_VARIABLE},
};
use serde_json::json;

/// In hexadecimal digits, and in base64.
const KEY: &str = "5c37326c270bbad4d51826f8bf981fee23eb76e365f1344c4630e1581746bfd4";
const NEW_KEY: &str = "+ZTnjdIYICKp9MxScslwAhOw828JZbqGHe0ZRKre1H0=";

async fn replica(api: &Api, keys: Option<&str>) -> Client {
    let mut server = ChildProcess::new(env!("CARGO_BIN_EXE_shop"))
        .arg("--serve")
        .env(API_VARIABLE, &api.url);
    if let Some(keys) = keys {
        server = server.env(KEY_VARIABLE, keys);
    }
    Client::builder("host", "1.0.0")
        .connect(server)
        .await
        .unwrap()
}

fn session(client: &Client) -> Session {
    client.session().declare(Kind::Form)
}

/// Pauses a refund, as text that another process could read, with the lead's consent in it.
async fn paused(client: &Client) -> String {
    let arguments = json!({ "order_id": "O-1145" });
    let quote = client.call_tool("quote_refund", arguments).await.unwrap();
    let quote: Quote = quote.structured().unwrap();
    let arguments = json!({ "quote_id": quote.id });
    let call = session(client).call_tool("issue_refund", arguments).await;
    let Round::InputRequired(mut paused) = call.unwrap() else {
        panic!("343.49 is above the limit");
    };
    paused
        .answer(
            "confirm",
            Answer::accept(json!({ "release": true })).unwrap(),
        )
        .unwrap();
    serde_json::to_string(&paused).unwrap()
}

async fn resume(paused: &str, client: &Client) -> Result<Round, Error> {
    let paused: PausedCall = serde_json::from_str(paused).unwrap();
    paused.resume(&session(client)).await
}

#[tokio::test]
async fn a_paused_call_goes_on_at_another_server() {
    let api = Api::start().await.unwrap();
    let first = replica(&api, Some(KEY)).await;
    let call = paused(&first).await;
    first.close().await;
    let second = replica(&api, Some(KEY)).await;
    let Round::Complete(done) = resume(&call, &second).await.unwrap() else {
        panic!("everything was answered");
    };
    let refund: Refund = done.structured().unwrap();
    assert_eq!(refund.status, RefundStatus::Requested);

    // A third server does not know of the second one's claim: the shop itself refuses.
    let third = replica(&api, Some(KEY)).await;
    let Round::Complete(again) = resume(&call, &third).await.unwrap() else {
        panic!("everything was answered");
    };
    assert!(again.is_error(), "{}", again.text());
    second.close().await;
    third.close().await;
}

#[tokio::test]
async fn keys_are_rotated_without_losing_a_call() {
    let api = Api::start().await.unwrap();
    let old = replica(&api, Some(KEY)).await;
    let call = paused(&old).await;
    let rotated = replica(&api, Some(&format!("{NEW_KEY},{KEY}"))).await;
    assert!(matches!(
        resume(&call, &rotated).await,
        Ok(Round::Complete(_))
    ));
    old.close().await;
    rotated.close().await;
}

#[tokio::test]
async fn without_a_shared_key_it_does_not_go_on() {
    let api = Api::start().await.unwrap();
    let (first, second) = (replica(&api, None).await, replica(&api, None).await);
    let call = paused(&first).await;
    let refused = resume(&call, &second).await.unwrap_err();
    assert_eq!(refused.code(), Some(-32602), "{refused}");
    first.close().await;
    second.close().await;
}
