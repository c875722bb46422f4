//! Calls that cannot be finished before a page was opened: error -32042, and what follows.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::{Builder, Consent, Error, HandlerError, Revision};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::{connect_at, form, text};
use crate::support::{Fake, Message, builder, call};

fn required(ids: &[&str]) -> Value {
    let elicitations: Vec<Value> = ids
        .iter()
        .map(|id| json!({"mode": "url", "elicitationId": id, "url": format!("https://a.example/{id}"), "message": "Sign in"}))
        .collect();
    json!({"code": -32042, "message": "more is needed", "data": {"elicitations": elicitations}})
}

/// A builder whose user does this with pages; and the pages that were shown.
fn with_pages(consent: Consent) -> (Builder, Arc<Mutex<Vec<String>>>) {
    let shown: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = Arc::clone(&shown);
    let builder = builder().on_url(move |question| {
        seen.lock().unwrap().push(question.url);
        async move { Ok::<_, HandlerError>(consent) }
    });
    (builder, shown)
}

async fn refuse(fake: &mut Fake, ids: &[&str]) -> Message {
    let request = fake.request("tools/call").await;
    fake.fail(&request, required(ids)).await;
    request
}

const NEWEST: Revision = Revision::V2025_11_25;

#[tokio::test(start_paused = true)]
async fn the_pages_are_shown_and_the_call_is_sent_again_when_they_are_done() {
    let (builder, shown) = with_pages(Consent::Accept);
    let (client, mut fake) = connect_at(builder, NEWEST).await;
    let calling = call(&client, "t", json!({"x": 1}));
    let first = refuse(&mut fake, &["e1", "e2"]).await;
    fake.hears_nothing().await;
    for id in ["unknown", "e1"] {
        fake.notify(
            "notifications/elicitation/complete",
            json!({"elicitationId": id}),
        )
        .await;
    }
    fake.hears_nothing().await;
    let started = Instant::now();
    fake.notify(
        "notifications/elicitation/complete",
        json!({"elicitationId": "e2"}),
    )
    .await;
    let again = fake.request("tools/call").await;
    assert!(started.elapsed() < Duration::from_millis(500));
    assert_eq!(again.params(), first.params());
    assert_ne!(again.id(), first.id());
    fake.reply(&again, text("done")).await;
    let called = calling.await.unwrap().unwrap();
    assert_eq!((called.text().as_str(), called.rounds), ("done", 2));
    assert_eq!(
        *shown.lock().unwrap(),
        ["https://a.example/e1", "https://a.example/e2"]
    );
}

#[tokio::test(start_paused = true)]
async fn servers_need_not_say_that_it_is_done_and_to_wait_is_no_round() {
    let (builder, shown) = with_pages(Consent::Accept);
    let (client, mut fake) = connect_at(builder.max_rounds(2), NEWEST).await;
    let calling = call(&client, "t", json!({}));
    let started = Instant::now();
    for pause in [0, 1, 3, 7, 15, 31, 61, 91, 121] {
        refuse(&mut fake, &["e1"]).await;
        assert_eq!(started.elapsed().as_secs(), pause);
    }
    let again = fake.request("tools/call").await;
    fake.reply(&again, text("done")).await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "done");
    assert_eq!(shown.lock().unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_page_that_is_done_and_wanted_again_is_shown_again_and_that_is_a_round() {
    let (builder, shown) = with_pages(Consent::Accept);
    let (client, mut fake) = connect_at(builder.max_rounds(3), NEWEST).await;
    let calling = call(&client, "t", json!({}));
    for _ in 0..2 {
        refuse(&mut fake, &["e1"]).await;
        fake.hears_nothing().await;
        fake.notify(
            "notifications/elicitation/complete",
            json!({"elicitationId": "e1"}),
        )
        .await;
    }
    refuse(&mut fake, &["e1"]).await;
    let error = calling.await.unwrap().unwrap_err();
    assert!(
        matches!(error, Error::RoundLimit { limit: 3, .. }),
        "{error}"
    );
    assert_eq!(shown.lock().unwrap().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn whoever_does_not_open_the_page_gets_the_error() {
    for consent in [Consent::Decline, Consent::Cancel] {
        let (builder, _) = with_pages(consent);
        let (client, mut fake) = connect_at(builder, NEWEST).await;
        let calling = call(&client, "t", json!({}));
        refuse(&mut fake, &["e1"]).await;
        let error = calling.await.unwrap().unwrap_err();
        assert_eq!(error.code(), Some(-32042), "{error}");
        fake.hears_nothing().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_that_was_opened_on_the_open_call_is_not_shown_again() {
    let (builder, shown) = with_pages(Consent::Accept);
    let (client, mut fake) = connect_at(builder, NEWEST).await;
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    let params = json!({"mode": "url", "message": "m", "elicitationId": "e1", "url": "https://a.example/e1"});
    fake.ask(1, "elicitation/create", params).await;
    fake.answered(1).await;
    sleep(Duration::from_secs(45)).await;
    fake.fail(&request, required(&["e1"])).await;
    let again = fake.request("tools/call").await;
    fake.reply(&again, text("done")).await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "done");
    assert_eq!(shown.lock().unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn another_page_under_the_same_id_is_shown() {
    let (builder, shown) = with_pages(Consent::Accept);
    let (client, mut fake) = connect_at(builder, NEWEST).await;
    let calling = call(&client, "t", json!({}));
    refuse(&mut fake, &["e1"]).await;
    let request = fake.request("tools/call").await;
    let mut elsewhere = required(&["e1"]);
    elsewhere["data"]["elicitations"][0]["url"] = "https://b.example/pay".into();
    fake.fail(&request, elsewhere).await;
    let request = fake.request("tools/call").await;
    fake.reply(&request, text("done")).await;
    calling.await.unwrap().unwrap();
    assert_eq!(
        *shown.lock().unwrap(),
        ["https://a.example/e1", "https://b.example/pay"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_page_that_the_next_call_needs_is_shown_again() {
    let (builder, shown) = with_pages(Consent::Accept);
    let (client, mut fake) = connect_at(builder, NEWEST).await;
    for count in 1..=2 {
        let calling = call(&client, "t", json!({}));
        refuse(&mut fake, &["e1"]).await;
        let request = fake.request("tools/call").await;
        fake.reply(&request, text("done")).await;
        calling.await.unwrap().unwrap();
        assert_eq!(shown.lock().unwrap().len(), count);
    }
    // The same where the page was opened on the open call.
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    let params = json!({"mode": "url", "message": "m", "elicitationId": "e1", "url": "https://a.example/e1"});
    fake.ask(1, "elicitation/create", params).await;
    fake.answered(1).await;
    fake.reply(&request, text("done")).await;
    calling.await.unwrap().unwrap();
    let calling = call(&client, "t", json!({}));
    refuse(&mut fake, &["e1"]).await;
    let request = fake.request("tools/call").await;
    fake.reply(&request, text("done")).await;
    calling.await.unwrap().unwrap();
    assert_eq!(shown.lock().unwrap().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn an_error_without_its_form_is_an_error_like_any_other() {
    let (with_url, _) = with_pages(Consent::Accept);
    let (without_url, _) = crate::support::answering(json!({}));
    let no_id = json!({"code": -32042, "message": "m", "data": {"elicitations": [form("?")]}});
    let twice = required(&["e1", "e1"]);
    let nothing = json!({"code": -32042, "message": "m", "data": {"elicitations": []}});
    for (builder, revision, error) in [
        (with_url, NEWEST, no_id),
        (with_pages(Consent::Accept).0, NEWEST, nothing),
        (with_pages(Consent::Accept).0, NEWEST, twice),
        (without_url, NEWEST, required(&["e1"])),
        (
            with_pages(Consent::Accept).0,
            Revision::V2025_06_18,
            required(&["e1"]),
        ),
    ] {
        let (client, mut fake) = connect_at(builder, revision).await;
        let calling = call(&client, "t", json!({}));
        let request = fake.request("tools/call").await;
        fake.fail(&request, error).await;
        let error = calling.await.unwrap().unwrap_err();
        assert!(
            matches!(&error, Error::Rpc(error) if error.code == -32042),
            "{error}"
        );
    }
}
