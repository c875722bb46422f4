//! The payment page: a question that a person can refuse, or leave unfinished.

#![allow(clippy::unwrap_used)]

use std::process::{Output, Stdio};

use mcp_examples::shop::{
    Api,
    serve::{API_VARIABLE, CLERK_VARIABLE},
};
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use tokio::process::Command;

/// A shop with refund R-0111, which is requested.
async fn shop() -> Api {
    let api = Api::start().await.unwrap();
    let http = Client::builder().no_proxy().build().unwrap();
    for (path, body) in [
        ("quotes", json!({ "order_id": "O-3310" })),
        ("refunds", json!({ "quote_id": "Q-0501" })),
    ] {
        let request = http.post(format!("{}/{path}", api.url)).json(&body);
        assert_eq!(request.send().await.unwrap().status(), StatusCode::OK);
    }
    api
}

/// Pays it with the host, for the clerk `tom`.
async fn pay(api: &Api, answer: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_host"))
        .args(["call", "pay_refund", r#"{"refund_id": "R-0111"}"#])
        .args(["--json", "--answer", answer])
        .args(["--", env!("CARGO_BIN_EXE_shop"), "--serve"])
        .env(API_VARIABLE, &api.url)
        .env(CLERK_VARIABLE, "tom")
        .stdin(Stdio::null())
        .output()
        .await
        .unwrap()
}

/// Text of a tool error.
fn tool_error(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["isError"], json!(true));
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_refusal_ends_the_call() {
    let api = shop().await;
    let declined = tool_error(&pay(&api, "account=decline").await);
    assert_eq!(declined, "the user declined; do not ask again");
    let cancelled = tool_error(&pay(&api, "account=cancel").await);
    assert_eq!(cancelled, "the user closed the form; ask again later");
}

#[tokio::test]
async fn agreeing_without_ever_signing_in_pays_nothing_and_ends() {
    let api = shop().await;
    let output = pay(&api, "account=accept").await;
    let text = tool_error(&output);
    assert!(
        !text.contains("declined") && !text.contains("closed"),
        "{text}"
    );
    // The page was offered in each of the five rounds, and was the same each time.
    let stderr = String::from_utf8(output.stderr).unwrap();
    let mut pages: Vec<&str> = stderr
        .lines()
        .filter_map(|line| line.strip_prefix("The page to open is "))
        .collect();
    assert_eq!(pages.len(), 5, "{stderr}");
    pages.dedup();
    assert_eq!(pages.len(), 1, "{stderr}");

    let http = Client::builder().no_proxy().build().unwrap();
    let unpaid = http.post(format!("{}/refunds/R-0111/pay", api.url));
    assert_eq!(unpaid.send().await.unwrap().status(), StatusCode::OK);

    let page = pages[0];
    let shown = http.get(page).send().await.unwrap();
    assert_eq!(shown.headers()["referrer-policy"], "no-referrer");
    assert!(
        shown
            .text()
            .await
            .unwrap()
            .contains("<form method=\"post\">")
    );
    for (clerk, pin, status) in [
        ("tom", "2468", StatusCode::UNAUTHORIZED),
        ("lea", "2468", StatusCode::FORBIDDEN),
        ("tom", "1357", StatusCode::OK),
    ] {
        let form = [("clerk", clerk), ("pin", pin)];
        let answer = http.post(page).form(&form).send().await.unwrap();
        assert_eq!(answer.status(), status, "{clerk}");
    }
    let unknown = format!("{}/pay/made-up", api.url);
    let answer = http.get(unknown).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn nobody_is_asked_to_sign_in_for_a_refund_that_cannot_be_paid() {
    let api = Api::start().await.unwrap();
    let output = pay(&api, "account=accept").await;
    let text = tool_error(&output);
    assert!(text.contains("R-0111"), "{text}");
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(!stderr.contains("The page to open is"), "{stderr}");
}
